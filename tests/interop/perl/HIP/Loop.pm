package HIP::Loop;

# What happens next: sockets that can be read or written, and times that have come.
# An owner of a socket has `readable`, `writable`, and `flush`, called once a turn.

use v5.36;
use IO::Select  ();
use Time::HiRes qw(CLOCK_MONOTONIC clock_gettime);

sub new ($class) {
    return bless {
        readers => IO::Select->new,
        writers => IO::Select->new,
        owners  => {},
        timers  => {},
        last    => 0,
    }, $class;
}

sub now ($self) { return clock_gettime(CLOCK_MONOTONIC) }

# Call something after some seconds, unless it is forgotten before.
sub later ($self, $seconds, $code) {
    $self->{timers}{ ++$self->{last} } = [ $self->now + $seconds, $code ];
    return $self->{last};
}

sub forget ($self, $timer) {
    delete $self->{timers}{$timer} if defined $timer;
    return;
}

sub watch ($self, $socket, $owner) {
    $self->{owners}{ fileno $socket } = $owner;
    $self->{readers}->add($socket);
    return;
}

# Whether the owner is told when its socket takes bytes again.
sub want_to_write ($self, $socket, $is_wanted) {
    return $is_wanted ? $self->{writers}->add($socket) : $self->{writers}->remove($socket);
}

sub leave ($self, $socket) {
    delete $self->{owners}{ fileno $socket };
    $self->{$_}->remove($socket) for qw(readers writers);
    return;
}

# Call something in the loop's own time when a signal comes; a pipe wakes a loop that waits.
sub on_signal ($self, $code, @names) {
    pipe my $reader, my $writer or die "no pipe: $!\n";
    for my $name (@names) {
        $SIG{$name} = sub { syswrite $writer, 'x' };
    }
    return $self->watch($reader, HIP::Loop::Signals->new($reader, $code));
}

sub stop ($self) { return $self->{is_stopped} = 1 }

sub run ($self) {
    $self->_turn until $self->{is_stopped};
    return;
}

sub _turn ($self) {
    my @owners = values %{ $self->{owners} };
    $_->flush for @owners;
    return if $self->{is_stopped};
    my ($readable, $writable) =
        IO::Select->select($self->{readers}, $self->{writers}, undef, $self->_wait);
    for (@{ $readable // [] }) { $self->_tell($_, 'readable') }
    for (@{ $writable // [] }) { $self->_tell($_, 'writable') }
    my $now = $self->now;
    my $timers = $self->{timers};
    for my $due (sort { $a <=> $b } grep { $timers->{$_}[0] <= $now } keys %$timers) {
        my $timer = delete $timers->{$due} or next;    # one may forget another
        $timer->[1]->();
    }
    return;
}

sub _tell ($self, $socket, $what) {
    my $number = fileno $socket // return;             # closed in this turn
    my $owner = $self->{owners}{$number} // return;
    $owner->$what;
    return;
}

sub _wait ($self) {
    my $next = $self->now + 60;
    for (values %{ $self->{timers} }) { $next = $_->[0] if $_->[0] < $next }
    my $wait = $next - $self->now;
    return $wait > 0 ? $wait : 0;
}

package HIP::Loop::Signals;

sub new ($class, $pipe, $code) { return bless { pipe => $pipe, code => $code }, $class }

sub flush ($self) { return }

sub readable ($self) {
    sysread $self->{pipe}, my $byte, 1;
    return $self->{code}->();
}

1;
