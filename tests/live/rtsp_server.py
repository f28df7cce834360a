"""A server of RTSP made of GStreamer, for the Python of the system: arguments are `MOUNT=PIPELINE`.

It says its port, and plays until it is killed. Each listener has a pipeline of its own, so that all
of them hear a program from its beginning.
"""

import sys

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtspServer  # noqa: E402 (a version must be asked for first)


def main(mounts: list[str]) -> None:
    """Serve pipelines until somebody ends the process."""
    Gst.init(None)
    server = GstRtspServer.RTSPServer.new()
    server.set_address("127.0.0.1")
    server.set_service("0")
    for mount in mounts:
        path, _, pipeline = mount.partition("=")
        factory = GstRtspServer.RTSPMediaFactory.new()
        factory.set_launch(f"( {pipeline} )")
        server.get_mount_points().add_factory(path, factory)
    server.attach(None)
    print(server.get_bound_port(), flush=True)
    GLib.MainLoop().run()


if __name__ == "__main__":
    main(sys.argv[1:])
