#!/usr/bin/perl

# An agent in plain Perl: a slave that answers calls and makes them, written from
# docs/reference/hip.md alone. It needs core modules and Debian's libyaml-pp-perl.
#
#     agent.pl [--name perl-1] [--frame BYTES] [--in-flight CALLS] [--heartbeat S] [--silence S] MASTER

use v5.36;
use FindBin;
use lib "$FindBin::Bin/perl";
use Getopt::Long qw(GetOptions);
use HIP::Loop  ();
use HIP::Slave ();
use HIP::Yaml  ();
use Math::BigInt ();

my %option = (name => 'perl-1', frame => 4 * 1024**2, 'in-flight' => 1000);
GetOptions(\%option, qw(name=s frame=i in-flight=i heartbeat=f silence=f)) && @ARGV == 1
    or die "usage: agent.pl [options] MASTER\n";
$SIG{PIPE} = 'IGNORE';

my $loop = HIP::Loop->new;
my $slave;
my @journal;        # what befell this agent, for its master to ask
my $started = $loop->now;

sub information {
    my ($pages) = (split ' ', slurp('/proc/self/statm'))[1];
    my $link = $slave->{link};
    return (
        kind      => 'perl',
        name      => $option{name},
        version   => '1.0',
        pid       => $$,
        uptime    => HIP::Yaml::float($loop->now - $started),
        memory    => $pages * 4096,
        calls     => $link->{answered},
        in_flight => keys(%{ $link->{asked} }) + keys(%{ $link->{answers} }),
    );
}

sub slurp ($path) {
    open my $file, '<', $path or die "$path: $!\n";
    local $/;
    return <$file>;
}

my %methods;
%methods = (
    'hip.info' => {
        parameters => [],
        words      => 'Tell who this agent is and how it is.',
        run        => sub ($call) { $call->answer({ information(), slaves => 0 }) },
    },
    'hip.tree' => {
        parameters => [],
        words      => 'Show this agent, which has no slaves.',
        run        => sub ($call) { $call->answer({ information(), slaves => [] }) },
    },
    'hip.methods' => {
        parameters => [],
        words      => 'List the methods that this agent answers.',
        run        => sub ($call) { $call->answer([ map { described($_) } sort keys %methods ]) },
    },
    'echo' => {
        parameters => ['value'],
        words      => 'Answer with the value.',
        run        => sub ($call, $value) { $call->answer($value) },
    },
    'add' => {
        parameters => [ 'a', 'b' ],
        words      => 'Answer with the sum of two integers of any size.',
        run        => sub ($call, $a, $b) { $call->answer(Math::BigInt->new("$a") + "$b") },
    },
    'slow' => {
        parameters => ['seconds'],
        words      => 'Answer with the seconds after so many of them; note why it is stopped.',
        run        => sub ($call, $seconds) {
            my $timer = $loop->later($seconds, sub { $call->answer($seconds) });
            $call->on_stop(sub ($code) {
                $loop->forget($timer);
                push @journal, "slow was stopped: $code";
            });
        },
    },
    'fail' => {
        parameters => [ 'code', 'words' ],
        words      => 'Fail with a code.',
        run        => sub ($call, $code, $words) { $call->fail($code, $words) },
    },
    'break' => {
        parameters => [],
        words      => 'Make a mistake.',
        run        => sub ($call) { die "broken on purpose\n" },
    },
    'large' => {
        parameters => ['size'],
        words      => 'Answer with a text of so many characters.',
        run        => sub ($call, $size) { $call->answer('x' x $size) },
    },
    'note' => {
        parameters => ['words'],
        words      => 'Write words in the journal.',
        run        => sub ($call, $words) { push @journal, $words; $call->answer(undef) },
    },
    'journal' => {
        parameters => [],
        words      => 'Answer with what befell this agent.',
        run        => sub ($call) { $call->answer(\@journal) },
    },
    'ask' => {
        parameters => [ 'method', 'arguments', 'patience' ],
        words      => 'Call methods of the master, one for each arguments, all at once; '
                    . 'answer with [value] or [code, words] for each, in order.',
        run        => \&ask,
    },
    'tell' => {
        parameters => [ 'method', 'arguments' ],
        words      => 'Send the master a notification.',
        run        => sub ($call, $method, $arguments) {
            $call->{link}->notify($method, $arguments);
            $call->answer(undef);
        },
    },
);

sub described ($name) {
    my $method = $methods{$name};
    my $signature = "$name(" . join(', ', @{ $method->{parameters} }) . ')';
    return { signature => $signature, words => $method->{words} };
}

sub ask ($call, $method, $arguments, $patience) {
    my $link    = $call->{link};
    my $waiting = @$arguments or return $call->answer([]);
    my (@answers, @asked);
    for my $i (keys @$arguments) {
        my $done = sub ($value, $error) {
            $answers[$i] = $error // [$value];
            $call->answer(\@answers) if --$waiting == 0;
        };
        push @asked, $link->call($method, $arguments->[$i], $patience, $done);
    }
    $call->on_stop(sub ($code) { $link->cancel($_) for @asked });
    return;
}

# The first words to a master, of the agent's own accord.
sub introduce ($link) {
    $link->call('hip.info', {}, 5, sub ($master, $error) {
        push @journal, $error ? "no master: $error->[1]" : "the master is $master->{name}";
    });
    return;
}

$slave = HIP::Slave->new(
    loop     => $loop,
    master   => $ARGV[0],
    methods  => \%methods,
    greeting => {
        hip         => 2,
        kind        => 'perl',
        name        => $option{name},
        version     => '1.0',
        serializers => ['yaml'],
        frame       => $option{frame},
        in_flight   => $option{'in-flight'},
    },
    on_greeted => \&introduce,
    map { exists $option{$_} ? ($_ => $option{$_}) : () } qw(heartbeat silence),
);
$loop->on_signal(sub { $slave->stop }, qw(TERM INT));
$slave->start;
$loop->run;
