"""Who may look: pages of this machine and nobody else, unless the user asks for another address, which then has a secret."""

from __future__ import annotations

import http.client
import json
import socket
import struct
from urllib.parse import urlsplit

import numpy as np
import pytest

from signorini.errors import InputError
from signorini.viewer.packing import packed
from signorini.viewer.page import write_page
from signorini.viewer.recording import RunRecording
from signorini.viewer.server import ViewerServer
from support.runs import run


@pytest.fixture(scope="module")
def recording(tmp_path_factory) -> RunRecording:
    out = tmp_path_factory.mktemp("server") / "run"
    run(out)
    return RunRecording(out)


@pytest.fixture
def server(recording: RunRecording):
    with ViewerServer(recording) as server:
        yield server


def ask(server: ViewerServer, path: str = "/", address: str = "127.0.0.1", **headers: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(address, server.port, timeout=5)
    try:
        connection.request("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def unpacked(block: bytes) -> tuple[dict, dict[str, np.ndarray]]:
    """The reader of the page, in Python."""
    (length,) = struct.unpack_from("<I", block)
    header = json.loads(block[4 : 4 + length])
    place = 4 + length
    assert place % 8 == 0
    return header["meta"], {
        name: np.frombuffer(block, f"<{kind}", count, place + at) for name, kind, count, at in header["arrays"]
    }


def test_packing_round_trip() -> None:
    arrays = {
        "a": np.arange(5, dtype=np.uint8),
        "b": np.array([[1.5, -2.0]], dtype=np.float32),
        "c": np.zeros(0, dtype=np.float64),
        "d": np.array([7, -1], dtype=np.int32),
    }
    meta, found = unpacked(packed({"ü": [1, None]}, arrays))
    assert meta == {"ü": [1, None]}
    for name, array in arrays.items():
        np.testing.assert_array_equal(found[name], array.ravel())
        assert found[name].dtype == array.dtype


def test_own_pages_are_answered(server: ViewerServer, recording: RunRecording) -> None:
    own = f"127.0.0.1:{server.port}"
    status, body = ask(server, "/", Host=own)
    assert status == 200 and b"<canvas" in body
    assert ask(server, "/scene", Host=f"localhost:{server.port}", Origin=f"http://localhost:{server.port}")[0] == 200
    meta, arrays = unpacked(ask(server, "/news?frames=2&steps=3", Host=own)[1])
    np.testing.assert_array_equal(arrays["times"], recording.times[2:])
    assert len(arrays["contact_count"]) == len(recording.rows()) - 3 and not meta["more"]
    meta, arrays = unpacked(ask(server, "/frame/4", Host=own)[1])
    for k, name in enumerate(recording.bodies):
        points = recording.positions(name, 4)
        np.testing.assert_allclose(arrays[f"positions/{k}"].reshape(-1, 3), points, rtol=1e-6, atol=1e-6)


def test_small_positions_are_near_the_true_ones(recording: RunRecording) -> None:
    meta, arrays = unpacked(recording.frame(4, small=True))
    for k, name in enumerate(recording.bodies):
        points, box = recording.positions(name, 4), meta["boxes"][k]
        found = np.array(box[:3]) + box[3] / 65535.0 * arrays[f"positions/{k}"].reshape(-1, 3)
        np.testing.assert_allclose(found, points, atol=0.51 * box[3] / 65535.0)


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "evil.example:{port}"},
        {"Host": "127.0.0.1:1"},
        {"Host": ""},
        {"Host": "127.0.0.1:{port}", "Origin": "http://evil.example"},
        {"Host": "127.0.0.1:{port}", "Origin": "null"},
        {"Host": "127.0.0.1:{port}", "Origin": "https://127.0.0.1:{port}"},
        {"Host": "127.0.0.1:{port}", "Upgrade": "websocket", "Connection": "Upgrade", "Sec_WebSocket_Version": "13"},
    ],
)
@pytest.mark.parametrize("path", ["/", "/frame/0"])
def test_foreign_requests_and_websockets_are_refused(server: ViewerServer, headers: dict, path: str) -> None:
    sent = {name: value.format(port=server.port) for name, value in headers.items()}
    status, body = ask(server, path, **sent)
    assert status == 403
    assert b"<canvas" not in body and len(body) < 200


def other_address() -> str | None:
    """An address of this machine that is not loopback; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
            found = probe.getsockname()[0]
        except OSError:
            return None
    return None if found.startswith("127.") or found == "0.0.0.0" else found


def test_another_address_is_not_listened_to(server: ViewerServer) -> None:
    address = other_address()
    if address is None:
        pytest.skip("this machine has no address but loopback")
    with pytest.raises(ConnectionRefusedError):
        ask(server, "/", address)


def test_another_host_has_a_secret(recording: RunRecording) -> None:
    with ViewerServer(recording, host="0.0.0.0") as server:
        query = urlsplit(server.url).query
        assert query.startswith("token=") and len(query) > 20
        for path in ("/", "/?token=", f"/?{query}x", "/frame/0"):
            assert ask(server, path)[0] == 403
        assert ask(server, f"/?{query}")[0] == 200
        assert ask(server, f"/frame/0?{query}")[0] == 200
        assert ask(server, f"/?{query}", Origin="http://evil.example")[0] == 403


@pytest.mark.parametrize(
    ("path", "status"),
    [("/nothing", 404), ("/frame/99", 400), ("/frame/x", 400), ("/news?frames=x", 400), ("/../../x", 404)],
)
def test_wrong_addresses_are_answered_with_a_sentence(server: ViewerServer, path: str, status: int) -> None:
    found, body = ask(server, path)
    assert found == status and 0 < len(body) < 200


def test_mistakes_are_named(recording: RunRecording, server: ViewerServer, tmp_path) -> None:
    with pytest.raises(InputError, match=r"cannot listen on 127\.0\.0\.1 at port"):
        ViewerServer(recording, port=server.port)
    with pytest.raises(InputError, match=r"must end in \.html"):
        write_page(recording, tmp_path / "page.txt")
    with pytest.raises(InputError, match="does not exist"):
        write_page(recording, tmp_path / "no/page.html")
    assert list(tmp_path.iterdir()) == []


def test_a_page_with_fewer_frames_keeps_the_last_one(recording: RunRecording, tmp_path) -> None:
    text = write_page(recording, tmp_path / "page.html", every=5).read_text()
    frames = len(recording.times)
    kept = sorted({*range(0, frames, 5), frames - 1})
    assert text.count('id="frame-') == len(kept)
    assert "http://" not in text and "https://" not in text, "the page needs no network"
