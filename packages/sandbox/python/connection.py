# Relays a TCP connection over stdin and stdout: python3 -c SOURCE PORT. See ../src/ports/relayed-connection.ts.
import os
import socket
import sys
import threading


def say(words):
    os.write(2, ("\nfenced-relay: %s\n" % words).encode())


problem = None
for host in ("127.0.0.1", "::1"):
    try:
        connection = socket.create_connection((host, int(sys.argv[1])))
        break
    except OSError as error:
        problem = problem or error
else:
    say("refused %s" % problem)
    sys.exit()
connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
say("connected")


def send():
    try:
        while True:
            data = os.read(0, 65536)
            if not data:
                break
            connection.sendall(data)
    except OSError:
        os._exit(1)
    try:
        connection.shutdown(socket.SHUT_WR)
    except OSError:
        pass


sender = threading.Thread(target=send, daemon=True)
sender.start()
count = 0
try:
    while True:
        data = memoryview(connection.recv(65536))
        if not data:
            break
        count += len(data)
        while data:
            data = data[os.write(1, data) :]
except OSError:
    os._exit(1)
say("end %d" % count)
sender.join()
os._exit(0)
