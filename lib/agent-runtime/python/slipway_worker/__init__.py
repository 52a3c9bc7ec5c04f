"""Runs the graphs of a langgraph.json for the server beside it, which has the queue, HTTP and streams."""

#: The version of the frames and operations. The server speaks every version shipped in the last year.
PROTOCOL = 1
