package HIP::Slave;

# An agent that is the slave of one master, for as long as it runs.
#
# WAITING --connected--> LINKED --lost--> WAITING (after a back-off, for the configured master)
# LINKED --redirection--> CONNECTING (to the new master, at once)

use v5.36;
use HIP::Link       ();
use IO::Socket::IP  ();
use IO::Socket::UNIX ();

use constant {
    BACK_OFF     => [ 0.5, 30 ],    # seconds, first and longest
    REDIRECTIONS => 5,              # in a round
};

sub new ($class, %options) {
    my $self = bless {
        heartbeat  => 10,
        silence    => 30,
        on_greeted => sub ($link) { },
        %options,                   # loop, master, greeting, methods
    }, $class;
    return $self->_begin_round;
}

sub start ($self) { return $self->_connect }

# Say goodbye and stop the loop.
sub stop ($self) {
    $self->{is_stopping} = 1;
    return $self->{link} ? $self->{link}->close('stopping') : $self->{loop}->stop;
}

sub _begin_round ($self) {
    $self->{target} = $self->{master};
    $self->{round}  = { $self->{master} => 1 };
    return $self;
}

# Nothing else is at work while there is no link, so connecting may wait.
sub _connect ($self) {
    my $socket =
        $self->{target} =~ /^unix:(.*)/
      ? IO::Socket::UNIX->new(Peer => $1)
      : IO::Socket::IP->new(PeerAddr => $self->{target}, Timeout => 10);
    if (!$socket) {
        warn "no link to $self->{target}: $@\n";
        return $self->_wait;
    }
    $self->{link} = HIP::Link->new($self, $socket);
    return;
}

sub _wait ($self) {
    $self->_begin_round;
    my ($first, $longest) = @{ +BACK_OFF };
    my $wait = $self->{wait} = !$self->{wait} ? $first : 2 * $self->{wait};
    $wait = $self->{wait} = $longest if $wait > $longest;
    $self->{loop}->later($wait * (0.75 + rand 0.25), sub { $self->_connect });
    return;
}

# What a link tells

sub greeted ($self, $link) {
    $self->{wait} = 0;
    $self->{on_greeted}->($link);
    return;
}

sub redirected ($self, $link, $address) {
    my $may_go = $address =~ /^unix:/ ? $self->{target} =~ /^unix:/ : $address =~ /:\d+\z/;
    die "a redirection to nowhere: $address\n" if !$may_go;
    die "redirected in a circle, to $address\n" if $self->{round}{$address};
    die "more than ${\REDIRECTIONS} redirections in a row\n"
        if keys %{ $self->{round} } > REDIRECTIONS;
    $self->{round}{$address} = 1;
    $self->{redirected} = $self->{target} = $address;
    return $link->close("redirected to $address");
}

sub closed ($self, $link, $reason) {
    delete $self->{link};
    warn "the link ended: $reason\n";
    return $self->{loop}->stop if $self->{is_stopping};
    return $self->_connect     if delete $self->{redirected};
    return $self->_wait;
}

1;
