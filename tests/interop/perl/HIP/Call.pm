package HIP::Call;

# A call of the master that one of our methods works on; a notification is one without a number.
#
# A method is { parameters => [names], words => documentation, run => sub ($call, @values) }. It
# ends by `answer` or `fail`, at once or at any later time, or dies with an array [code, words].

use v5.36;

sub new ($class, $link, $number) {
    return bless { link => $link, number => $number, on_stop => sub ($) { } }, $class;
}

sub run ($self, $methods, $name, $arguments) {
    my $method = $methods->{$name} // return $self->fail('unknown-method', "there is no $name");
    my @parameters = @{ $method->{parameters} };
    my %given      = ref $arguments eq 'HASH' ? %$arguments : ('a mapping' => undef);
    my @missing    = grep { !exists $given{$_} } @parameters;
    my @values     = delete @given{@parameters};
    if (my ($odd) = (@missing, sort keys %given)) {
        return $self->fail('bad-arguments', "$name: missing or unknown: $odd");
    }
    return if eval { $method->{run}->($self, @values); 1 };
    return $self->fail(@{$@}) if ref $@ eq 'ARRAY';
    warn "$name: $@";
    return $self->fail('failed', "$name made a mistake; the agent's log says which");
}

# Call `$code` with a reason when the answer is no longer wanted.
sub on_stop ($self, $code) { return $self->{on_stop} = $code }

sub answer ($self, $value) { return $self->_end('response', $value) }

sub fail ($self, $code, $words) { return $self->_end('error', $code, $words) }

# Stop the method, and say so.
sub stop ($self, $code, $words) {
    return if $self->{is_over};
    $self->{on_stop}->($code);
    return $self->fail($code, $words);
}

sub _end ($self, @what) {
    return if $self->{is_over}++;
    $self->{link}->answer($self->{number}, @what) if defined $self->{number};
    return;
}

1;
