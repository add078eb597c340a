/** A program that passes a connection on between a port and its stdin and stdout. */
export interface RelayProgram {
  /** Its name, as `which` of a sandbox finds it. */
  readonly name: string
  /** @param program - where it was found. */
  command(program: string, port: number): readonly [string, ...string[]]
}

/**
 * What relays say on stderr, each on a line:
 *
 * - `connected`: data follows. `connected whole`: as well, but it cannot end one direction without the other.
 * - `refused` and why.
 * - `end` and how many bytes it has written: what listens sends no more, and may still read.
 */
export const relayWord = 'fenced-relay:'

const python = `
import os, socket, sys, threading
def say(words): os.write(2, ('\\n${relayWord} %s\\n' % words).encode())
problem = None
for host in ('127.0.0.1', '::1'):
    try:
        connection = socket.create_connection((host, int(sys.argv[1])))
        break
    except OSError as error:
        problem = problem or error
else:
    say('refused %s' % problem)
    sys.exit()
connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
say('connected')
def send():
    try:
        while True:
            data = os.read(0, 65536)
            if not data: break
            connection.sendall(data)
    except OSError:
        os._exit(1)
    try: connection.shutdown(socket.SHUT_WR)
    except OSError: pass
sender = threading.Thread(target=send, daemon=True)
sender.start()
count = 0
try:
    while True:
        data = memoryview(connection.recv(65536))
        if not data: break
        count += len(data)
        while data: data = data[os.write(1, data):]
except OSError:
    os._exit(1)
say('end %d' % count)
sender.join()
os._exit(0)
`

/** Sends in a separate process. */
const perl = `
use Socket;
my $port = shift;
sub say_words { syswrite STDERR, "\\n${relayWord} $_[0]\\n" }
sub pass {
  my ($from, $to) = @_;
  my $count = 0;
  for (;;) {
    my $length = sysread $from, my $data, 65536;
    return undef unless defined $length;
    return $count if $length == 0;
    for (my $at = 0; $at < $length;) {
      my $written = syswrite $to, $data, $length - $at, $at;
      return undef unless defined $written;
      $at += $written;
    }
    $count += $length;
  }
}
my ($connection, $problem);
for ([PF_INET, sub { pack_sockaddr_in($port, INADDR_LOOPBACK) }], [PF_INET6, sub { Socket::pack_sockaddr_in6($port, Socket::IN6ADDR_LOOPBACK()) }]) {
  my ($family, $address) = @$_;
  last if socket($connection, $family, SOCK_STREAM, 0) && connect($connection, $address->());
  $problem ||= "$!";
  $connection = undef;
}
unless ($connection) { say_words("refused $problem"); exit 0 }
setsockopt $connection, Socket::IPPROTO_TCP, Socket::TCP_NODELAY, 1;
binmode $_ for *STDIN, *STDOUT, $connection;
$SIG{PIPE} = 'IGNORE';
defined(my $sender = fork) or die "fork: $!";
if ($sender == 0) {
  my $sent = pass(*STDIN, $connection);
  shutdown $connection, defined $sent ? 1 : 2;
  exit(defined $sent ? 0 : 1);
}
say_words('connected');
my $count = pass($connection, *STDOUT);
unless (defined $count) { kill 'KILL', $sender; exit 1 }
say_words("end $count");
waitpid $sender, 0;
exit($? ? 1 : 0);
`

/**
 * Connecting to test the port would use up the connection of a server that accepts only one, so the kernel's list shows whether a server
 * listens. Only some kinds of nc end one direction at the end of stdin, and all end with the other one.
 */
const nc = `
say() { printf '\\n${relayWord} %s\\n' "$1" >&2; }
hex=$(printf %04X "$2")
host=
while read -r _ address _ state _; do
  case $state/$address in
    0A/0100007F:$hex | 0A/7F000001:$hex | 0A/00000000:$hex) host=127.0.0.1 ;;
    0A/0000000000000000FFFF00000100007F:$hex | 0A/00000000000000000000FFFF7F000001:$hex) host=\${host:-127.0.0.1} ;;
    0A/00000000000000000000000000000000:$hex | 0A/00000000000000000000000001000000:$hex | 0A/00000000000000000000000000000001:$hex) host=\${host:-::1} ;;
  esac
done <<END
$(cat /proc/net/tcp /proc/net/tcp6 2> /dev/null)
END
[ -n "$host" ] || { say 'refused Connection refused'; exit; }
case $("$1" -h 2>&1) in
  *BusyBox* | *Ncat*) say connected; exec "$1" "$host" "$2" ;;
  *'	-N'*) say connected; exec "$1" -N "$host" "$2" ;;
  *) say 'connected whole'; exec "$1" "$host" "$2" ;;
esac
`

/** It has no word for the end of one direction. */
const bash = `
say() { printf '\\n${relayWord} %s\\n' "$1" >&2; }
exec 4<&0
{ exec 3<> "/dev/tcp/127.0.0.1/$1"; } 2> /dev/null || { exec 3<> "/dev/tcp/::1/$1"; } 2> /dev/null ||
  { say 'refused Connection refused'; exit; }
say 'connected whole'
cat <&4 >&3 &
cat <&3
result=$?
kill $! 2> /dev/null
exit $result
`

/** Best first: the first two pass on the end of each direction. */
export const relayPrograms: readonly RelayProgram[] = [
  { name: 'python3', command: (program, port) => [program, '-I', '-S', '-c', python, `${port}`] },
  { name: 'perl', command: (program, port) => [program, '-e', perl, `${port}`] },
  { name: 'nc', command: (program, port) => ['/bin/sh', '-c', nc, 'sh', program, `${port}`] },
  { name: 'bash', command: (program, port) => [program, '-c', bash, 'bash', `${port}`] },
]
