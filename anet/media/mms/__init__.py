"""Live streams of Windows Media, over HTTP (MS-WMSP)."""
