// Sorts a board table by a column. Without this script the tables stand in the board's own order.
// Only the ranked rows move: rows that aren't ranked and reference rows stay apart, where they are.
"use strict";

(() => {
  const ORDERS = { none: "descending", descending: "ascending", ascending: "none" };
  const UNKNOWN = Symbol("unknown");

  const key = (row, index, numeric) => {
    const cell = row.cells[index];
    if (!numeric) return cell.textContent.trim();
    return cell.dataset.value === undefined ? UNKNOWN : Number(cell.dataset.value);
  };

  const compare = (a, b, numeric) => (numeric ? a - b : a.localeCompare(b, "en"));

  const sort = (body, index, order, numeric) => {
    const rows = Array.from(body.rows);
    rows.forEach((row, place) => { row.dataset.place ??= String(place); });
    rows.sort((a, b) => {
      const places = Number(a.dataset.place) - Number(b.dataset.place);
      if (order === "none") return places;
      const [x, y] = [key(a, index, numeric), key(b, index, numeric)];
      if (x === UNKNOWN || y === UNKNOWN) return (x === UNKNOWN) - (y === UNKNOWN) || places;
      return (order === "ascending" ? 1 : -1) * compare(x, y, numeric) || places;
    });
    body.append(...rows);
  };

  const prepare = (table) => {
    const body = table.querySelector("tbody.ranked");
    if (!body || body.rows.length < 2) return;
    const heads = Array.from(table.tHead.rows[0].cells);
    heads.forEach((head, index) => {
      const numeric = head.matches(".number, .count");
      const label = head.querySelector(".label");
      const button = document.createElement("button");
      button.type = "button";
      button.className = "board-sort";
      button.append(...(label ? label : head).childNodes);
      (label ?? head).append(button);
      head.setAttribute("aria-sort", "none");
      button.addEventListener("click", () => {
        const order = ORDERS[head.getAttribute("aria-sort")];
        heads.forEach((other) => other.setAttribute("aria-sort", "none"));
        head.setAttribute("aria-sort", order);
        sort(body, index, order, numeric);
      });
    });
  };

  document.querySelectorAll("table.board").forEach(prepare);
})();
