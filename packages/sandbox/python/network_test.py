"""Tries to get out of a sandbox whose network is a list. Argument: the port of its proxy.

Prints what it has a way to, and then the first line of what the proxy answers for a name that no list has.
"""

import _socket
import sys

ways = []
for family, address in (
    (_socket.AF_INET, "192.0.2.1"),
    (_socket.AF_INET, "10.0.0.1"),
    (_socket.AF_INET, "169.254.169.254"),
    (_socket.AF_INET6, "2001:db8::1"),
):
    try:
        # It sends nothing: the kernel says whether there is a route.
        _socket.socket(family, _socket.SOCK_DGRAM).connect((address, 9))
        ways.append(address)
    except OSError:
        pass
proxy = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
proxy.settimeout(10)
proxy.connect(("127.0.0.1", int(sys.argv[1])))
proxy.sendall(b"CONNECT fenced-network-test.invalid:443 HTTP/1.1\r\nHost: fenced-network-test.invalid:443\r\n\r\n")
answer = b""
while b"\r\n" not in answer:
    data = proxy.recv(4096)
    if not data:
        break
    answer += data
print(", ".join(ways))
print(answer.decode("latin-1").split("\r\n")[0])
