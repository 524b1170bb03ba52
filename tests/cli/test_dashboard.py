"""Whom the dashboard answers; that it runs is tested with the commands."""

import pytest

from warpfront.cli.dashboard import only_here


def answer(**environ):
    """What the guarded application says to a request: status and body."""
    said = []

    def app(environ, start):
        start("200 OK", [])
        return [b"the study"]

    body = only_here(app)(environ, lambda status, headers: said.append(status))
    return said[0], b"".join(body)


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "127.0.0.1:8080", "localhost:8080", "LOCALHOST", "[::1]:8080", "[::1]"]
)
def test_this_machine_is_answered(host):
    assert answer(HTTP_HOST=host) == ("200 OK", b"the study")


@pytest.mark.parametrize(
    "host",
    ["evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example:8080", "", "::1"],
)
def test_another_name_for_our_address_is_refused(host):
    status, body = answer(HTTP_HOST=host)
    assert status == "403 Forbidden"
    assert body == b"the dashboard is for this machine only: call it 127.0.0.1\n"


def test_a_request_without_a_host_is_refused():
    assert answer()[0] == "403 Forbidden"


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://127.0.0.1:8080", "200 OK"),
        ("http://127.0.0.1:9999", "403 Forbidden"),
        ("http://evil.example", "403 Forbidden"),
        ("https://127.0.0.1:8080", "403 Forbidden"),
        ("null", "403 Forbidden"),
        ("", "403 Forbidden"),
    ],
)
def test_a_page_from_elsewhere_is_refused(origin, status):
    assert answer(HTTP_HOST="127.0.0.1:8080", HTTP_ORIGIN=origin)[0] == status
