"""What the tests of the endpoint ask and are answered."""

REQUEST = {
    "model": "the board's name",
    "messages": [{"role": "user", "content": "Who?"}],
    "temperature": 0.0,
    "max_tokens": 64,
    "seed": 7,
}
KEY = "sk-very-secret-0123456789"


def answer(content: object = "Ada", finish: object = "stop", **fields) -> dict:
    usage = {"prompt_tokens": 31, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 16}}
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": content}}
    return {"model": "small-2026-01-01", "choices": [choice], "usage": usage} | fields
