package HIP::Link;

# One connection to a master: greeting, messages both ways, and its end.
#
# GREETING --the master's greeting--> OPEN --goodbye, nonsense, silence--> CLOSED

use v5.36;
use Errno       qw(EAGAIN EINTR EWOULDBLOCK);
use Exporter    ();
use HIP::Call   ();
use HIP::Yaml   qw(from_yaml to_yaml);
use Scalar::Util qw(looks_like_number);

use constant {
    VERSION       => 2,
    GREETING      => 65_536,           # bytes of a frame until we are greeted
    GREETING_TIME => 10,               # seconds
    PARTING       => 1,                # seconds to take our last words
    PIECE         => 65_536,           # bytes read at once
    UNSENT        => 16 * 1024**2,     # bytes held for a master that does not read
    MESSAGES      => 65_535,           # in a frame
    LINE          => 10_000,           # calls in line
    LARGEST       => 2**53,            # number of a request
};

# Begin on a connected socket. The agent has: loop, greeting, methods, heartbeat, silence, and the
# methods `greeted`, `redirected` and `closed`.
sub new ($class, $agent, $socket) {
    my $loop = $agent->{loop};
    my $self = bless {
        agent    => $agent,
        loop     => $loop,
        socket   => $socket,
        state    => 'GREETING',
        accepts  => GREETING,
        in       => '',
        out      => '',
        gathered => undef,             # [kind, messages as YAML …], the frame that is being filled
        number   => 0,                 # of our last request
        heard    => $loop->now,
        spoke    => $loop->now,
        asked    => {},                # our calls by number
        line     => [],                # our calls that the master has no room for yet
        answered => 0,                 # the master's last request
        answers  => {},                # its calls that we work on, by number
    }, $class;
    $socket->blocking(0);
    $loop->watch($socket, $self);
    $self->_write(to_yaml($agent->{greeting}));
    $self->{timer} = $loop->later(GREETING_TIME, sub { $self->close('no greeting came') });
    return $self;
}

# Calling

# Call a method of the master. `$done` is called once, with the value, or with undef and an error
# [code, words]. Returns what `cancel` takes.
sub call ($self, $method, $arguments, $patience, $done) {
    my $call = { method => $method, arguments => $arguments, done => $done };
    if ($self->{state} ne 'OPEN' || @{ $self->{line} } >= LINE) {
        $done->(undef, [ 'not-sent', 'there is no link, or too many calls are in line' ]);
        return $call;
    }
    $call->{until} = $self->{loop}->now + $patience;
    my $late = sub { $self->cancel($call, 'timed-out', "$method: no answer in $patience s") };
    $call->{timer} = $self->{loop}->later($patience, $late);
    push @{ $self->{line} }, $call;
    $self->_ask;
    return $call;
}

# Give up a call, and tell the master to stop working on it.
sub cancel ($self, $call, $code = 'cancelled', $words = 'cancelled here') {
    my $number = $call->{number};
    if (!defined $number) {
        $self->{line} = [ grep { $_ != $call } @{ $self->{line} } ];
    }
    elsif (delete $self->{asked}{$number}) {
        $self->_say('cancellation', [$number]);
    }
    return $self->_end($call, undef, [ $code, $words ]);
}

sub notify ($self, $method, $arguments) {
    return $self->_say('notification', [ $method, $arguments ]);
}

sub _ask ($self) {
    while (@{ $self->{line} } && keys %{ $self->{asked} } < $self->{peer}{in_flight}) {
        my $call     = shift @{ $self->{line} };
        my $left     = HIP::Yaml::float($call->{until} - $self->{loop}->now);
        next if $left <= 0;            # its timer says so in a moment
        my $number = $self->{number} + 1;
        my $said   = eval { $self->_say('request', [ $number, @$call{qw(method arguments)}, $left ]) };
        if (!$said) {
            $self->_end($call, undef, [ 'not-sent', $@ =~ s/\n.*//sr ]);
            next;
        }
        $call->{number} = $self->{number} = $number;
        $self->{asked}{$number} = $call;
    }
    return;
}

sub _end ($self, $call, $value, $error = undef) {
    $self->{loop}->forget($call->{timer});
    my $done = delete $call->{done};
    $done->($value, $error) if $done;
    return;
}

# Hearing

my %HEAR = (
    request      => \&_be_asked,
    response     => sub ($self, $number, $value) { $self->_be_answered($number, $value) },
    error        => sub ($self, $number, $code, $words) {
        $self->_be_answered($number, undef, [ $code, $words ]);
    },
    notification => \&_be_told,
    cancellation => \&_be_cancelled,
);
my %PARTS = (request => 4, response => 2, error => 3, notification => 2, cancellation => 1);

sub readable ($self) {
    my $count = sysread $self->{socket}, $self->{in}, PIECE, length $self->{in};
    return if !defined $count && ($!{EAGAIN} || $!{EWOULDBLOCK} || $!{EINTR});
    return $self->_lost($count // "$!") if !$count;
    $self->{heard} = $self->{loop}->now;
    my $is_sense = eval { $self->_read; 1 };
    $self->close($@ =~ s/\n.*//sr) if !$is_sense;
    return;
}

sub _read ($self) {
    my $start = 0;
    while ($self->{state} =~ /GREETING|OPEN/ && length $self->{in} >= $start + 4) {
        my $length = unpack 'N', substr $self->{in}, $start, 4;
        die "a frame of $length bytes; from 1 to $self->{accepts} are accepted\n"
            if $length == 0 || $length > $self->{accepts};
        last if length $self->{in} < $start + 4 + $length;
        my $said = from_yaml(substr $self->{in}, $start + 4, $length);
        $start += 4 + $length;
        $self->{state} eq 'GREETING' ? $self->_be_greeted($said) : $self->_hear($said);
    }
    substr $self->{in}, 0, $start, '';
    return;
}

sub _be_greeted ($self, $greeting) {
    ref $greeting eq 'HASH' && looks_like_number($greeting->{hip}) or die "no greeting\n";
    $greeting->{hip} == VERSION or die "HIP $greeting->{hip} is spoken there, and 2 here\n";
    my $serializers = $greeting->{serializers} // ['yaml'];
    grep { $_ eq 'yaml' } @$serializers or die "no serializer in common\n";
    $self->{peer} = { frame => 65_536, in_flight => 100, %$greeting };
    $self->{accepts} = $self->{agent}{greeting}{frame};
    $self->{state}   = 'OPEN';
    $self->{loop}->forget($self->{timer});
    $self->_look;
    $self->{agent}->greeted($self);
    return;
}

sub _hear ($self, $frame) {
    ref $frame eq 'ARRAY' && defined $frame->[0] or die "a frame that is no list with a name\n";
    my ($kind, $rest) = @$frame;
    return if $kind eq 'heartbeat';
    return $self->_lost("the master said goodbye: $rest") if $kind eq 'goodbye';
    return $self->{agent}->redirected($self, $rest)       if $kind eq 'redirection';
    my $hear = $HEAR{$kind} or die "a frame of unknown kind\n";
    ref $rest eq 'ARRAY' or die "a $kind without its messages\n";
    for my $message (@$rest) {
        ref $message eq 'ARRAY' && @$message >= $PARTS{$kind} or die "a $kind too short\n";
        $self->$hear(@$message[ 0 .. $PARTS{$kind} - 1 ]);
    }
    return;
}

sub _be_answered ($self, $number, $value, $error = undef) {
    1 <= $number && $number <= $self->{number} or die "an answer to $number, which is no call\n";
    my $call = delete $self->{asked}{$number} or return;    # it was given up
    $self->_end($call, $value, $error);
    return $self->_ask;
}

# Answering

sub _be_asked ($self, $number, $method, $arguments, $patience) {
    $number > $self->{answered} && $number <= LARGEST or die "request $number comes too late\n";
    $self->{answered} = $number;
    my $call = HIP::Call->new($self, $number);
    if (keys %{ $self->{answers} } >= $self->{agent}{greeting}{in_flight}) {
        return $call->fail('overloaded', 'so many calls are answered already');
    }
    $self->{answers}{$number} = $call;
    my $late = sub { $call->stop('timed-out', "it worked for longer than $patience s") };
    $call->{timer} = $self->{loop}->later($patience, $late);
    return $call->run($self->{agent}{methods}, $method, $arguments);
}

sub _be_told ($self, $method, $arguments) {
    return HIP::Call->new($self, undef)->run($self->{agent}{methods}, $method, $arguments);
}

sub _be_cancelled ($self, $number) {
    my $call = $self->{answers}{$number} or return;         # it has been answered
    return $call->stop('cancelled', 'the call was cancelled');
}

# What a call has come to; called once by the call.
sub answer ($self, $number, $kind, @rest) {
    my $call = delete $self->{answers}{$number};
    $self->{loop}->forget($call->{timer}) if $call;
    return if eval { $self->_say($kind, [ $number, @rest ]) };
    my $code = $@ =~ /frame/ ? 'too-large' : 'cannot-carry';
    return $self->_say('error', [ $number, $code, $@ =~ s/\n.*//sr ]);
}

# Speaking. Messages of one kind are gathered in a frame until the turn ends.

sub _say ($self, $kind, $message) {
    return 1 if $self->{state} ne 'OPEN';
    my $text  = to_yaml($message);
    my $limit = $self->{peer}{frame};
    my $size  = length(qq{["$kind", [}) + length($text) + 2;
    die "$size bytes, and a frame has $limit\n" if $size > $limit;
    my $frame = $self->{gathered};
    if (!$frame || $frame->{kind} ne $kind || $frame->{size} + length($text) + 2 > $limit
        || @{ $frame->{messages} } >= MESSAGES) {
        $self->_end_frame;
        $frame = $self->{gathered} = { kind => $kind, size => $size - length($text), messages => [] };
    }
    push @{ $frame->{messages} }, $text;
    $frame->{size} += length($text) + 2;
    return 1;
}

sub _end_frame ($self) {
    my $frame = delete $self->{gathered} // return;
    $self->_write(qq{["$frame->{kind}", [} . join(', ', @{ $frame->{messages} }) . ']]');
    return;
}

# What travels in a frame of its own.
sub _say_alone ($self, @frame) {
    $self->_end_frame;
    $self->_write(to_yaml(\@frame));
    return;
}

sub _write ($self, $payload) {
    $self->{out} .= pack('N', length $payload) . $payload;
    $self->{spoke} = $self->{loop}->now;
    $self->{loop}->want_to_write($self->{socket}, 1);
    return;
}

sub flush ($self) {
    $self->_end_frame if $self->{state} eq 'OPEN';
    return $self->writable;
}

sub writable ($self) {
    while (length $self->{out}) {
        my $count = syswrite $self->{socket}, $self->{out};
        last if !defined $count && ($!{EAGAIN} || $!{EWOULDBLOCK});
        next if !defined $count && $!{EINTR};
        return $self->_lost("$!") if !defined $count;
        substr $self->{out}, 0, $count, '';
    }
    return $self->_lost('the master does not read') if length $self->{out} > UNSENT;
    return $self->_lost($self->{reason}) if $self->{state} eq 'CLOSING' && !length $self->{out};
    $self->{loop}->want_to_write($self->{socket}, length $self->{out} > 0);
    return;
}

# Being alive, and the end

sub _look ($self) {
    my ($agent, $now) = ($self->{agent}, $self->{loop}->now);
    return $self->close('silence') if $now - $self->{heard} > $agent->{silence};
    $self->_say_alone('heartbeat') if $now - $self->{spoke} >= $agent->{heartbeat} / 2;
    $self->{timer} = $self->{loop}->later($agent->{heartbeat} / 2, sub { $self->_look });
    return;
}

# Say goodbye and close, once it is sent or a second has passed.
sub close ($self, $reason) {
    return if $self->{state} =~ /CLOS/;
    $self->_say_alone('goodbye', $reason) if $self->{state} eq 'OPEN';
    $self->{loop}->forget($self->{timer});
    @$self{qw(state reason)} = ('CLOSING', $reason);
    $self->{timer} = $self->{loop}->later(PARTING, sub { $self->_lost($reason) });
    return;
}

sub _lost ($self, $reason) {
    return if $self->{state} eq 'CLOSED';
    $self->{state} = 'CLOSED';
    $self->{loop}->forget($self->{timer});
    $self->{loop}->leave($self->{socket});
    CORE::close $self->{socket};
    my @waiting = (values %{ $self->{asked} }, @{ $self->{line} });
    @$self{qw(asked line)} = ({}, []);
    $self->_end($_, undef, [ 'lost', $reason || 'the connection was closed' ]) for @waiting;
    $_->stop('lost', 'the link has ended') for values %{ $self->{answers} };
    $self->{agent}->closed($self, $reason || 'the connection was closed');
    return;
}

1;
