"""Live streams over RTSP 1.0, with RTP inside its connection, and their tracks for players."""
