"""The server shows the site on the loopback address alone, lists no folder, and says what to do."""

import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request

import pytest

from leaderboard.site.errors import SiteError
from leaderboard.site.mkdocs import server


@pytest.fixture
def site(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "data.csv").write_text("a,b\n")
    (tmp_path / "index.html").write_text("<h1>board</h1>")
    return tmp_path


@pytest.fixture
def address(site):
    with server(site, 0) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()
        thread.join()


def test_serves_pages_and_files(address):
    assert urllib.request.urlopen(address).read() == b"<h1>board</h1>"
    assert urllib.request.urlopen(f"{address}/folder/data.csv").read() == b"a,b\n"


@pytest.mark.parametrize("path", ["/folder/", "/missing", "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd"])
def test_lists_no_folder_and_leaves_no_site(address, path):
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(address + path)


def test_a_port_in_use_is_an_error_that_names_another(site):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(SiteError, match=rf"port {port} is in use.*--port {port + 1}"):
            server(site, port)


def test_no_site_is_an_error(tmp_path):
    with pytest.raises(SiteError, match="leaderboard build"):
        server(tmp_path, 0)


def test_serve_prints_its_address(site):
    code = (
        f"from pathlib import Path; from leaderboard.site.mkdocs import serve; serve(Path({str(site)!r}), 0)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        line = process.stdout.readline()
        assert urllib.request.urlopen(line.split()[0]).status == 200
        process.terminate()
