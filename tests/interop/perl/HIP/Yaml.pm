package HIP::Yaml;

# Values of HIP as YAML and back.
#
# The parser is YAML::PP's (Debian: libyaml-pp-perl), used for its events only. Of Debian's YAML
# modules it alone tells what the specification turns on: tags, anchors, and whether a scalar had
# quotes. YAML::XS and YAML give values when it is too late to know a text "12" from a number 12,
# and refuse or drop !!binary and !!timestamp. What the events mean is told here.
#
# In Perl                               on the wire
# undef                                 none
# builtin::true, builtin::false         boolean
# a number; Math::BigInt                integer
# a number with a point, HIP::Yaml::float(…)   float
# a string of characters                text
# HIP::Bytes                            bytes
# HIP::Moment, its text                 moment
# array reference                       list
# hash reference                        mapping whose keys are text
# HIP::Mapping, a list of pairs         mapping with other keys

use v5.36;
use builtin qw(false is_bool reftype true);
no warnings qw(experimental::builtin recursion);
use B              ();
use Exporter       'import';
use Math::BigInt   ();
use MIME::Base64   qw(decode_base64 encode_base64);
use YAML::PP::Common qw(YAML_PLAIN_SCALAR_STYLE);
use YAML::PP::Parser ();

our @EXPORT_OK = qw(from_yaml to_yaml);

use constant {
    DEPTH        => 100,
    INTEGER_BITS => 4096,
    DIGITS       => 1234,    # of 2**4096
    TAG          => 'tag:yaml.org,2002:',
};

my $INTEGER = qr/[-+]?(?:0|[1-9][0-9]*)/a;
my $FLOAT   = qr/[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?/a;
my $BASE64  = qr{(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?};
my $MOMENT  = qr/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|[-+]\d\d:\d\d)/a;
my %WORD    = (
    (map { $_ => undef } '', '~', qw(null Null NULL)),
    (map { $_ => true } qw(true True TRUE)),
    (map { $_ => false } qw(false False FALSE)),
    (map { $_ => float('Inf') } qw(.inf .Inf .INF +.inf +.Inf +.INF)),
    (map { $_ => float('-Inf') } qw(-.inf -.Inf -.INF)),
    (map { $_ => float('NaN') } qw(.nan .NaN .NAN)),
);

# Writing

my %ESCAPED = ('"' => '\"', '\\' => '\\\\', "\n" => '\n', "\t" => '\t', "\r" => '\r');

# The bytes of a value.
sub to_yaml ($value) {
    my $text = _text($value, 0);
    utf8::encode($text);
    return $text;
}

sub _text ($value, $depth) {
    return 'null'                      if !defined $value;
    return _scalar_text($value)        if !ref $value;
    return $value->bstr                if ref $value eq 'Math::BigInt';
    return '!!binary "' . encode_base64($$value, '') . '"' if ref $value eq 'HIP::Bytes';
    return qq{!!timestamp "$$value"}   if ref $value eq 'HIP::Moment';
    die "nested more than ${\DEPTH} deep\n" if $depth >= DEPTH;
    if (ref $value eq 'ARRAY') {
        return '[' . join(', ', map { _text($_, $depth + 1) } @$value) . ']';
    }
    my @pairs =
        ref $value eq 'HIP::Mapping' ? @$value
      : ref $value eq 'HASH'         ? map { ["$_", $value->{$_}] } sort keys %$value
      :   die ref($value) . " has no form on the wire\n";
    my @parts = map { _pair_text(map { _text($_, $depth + 1) } @$_) } @pairs;
    return '{' . join(', ', @parts) . '}';
}

# YAML looks for the colon of a key no further than 1,024 characters, unless told that it is one.
sub _pair_text ($key, $value) {
    return length $key > 1000 ? "? $key : $value" : "$key: $value";
}

sub _scalar_text ($value) {
    return $value ? 'true' : 'false' if is_bool($value);
    my $flags = B::svref_2object(\$value)->FLAGS;
    return _quoted($value) if $flags & B::SVf_POK;    # a string, even if it was counted with
    # An integer that was counted with as a float is an integer still; so is, then, a float
    # without a fraction that was counted with as an integer. Perl cannot tell them apart.
    return "$value" if $flags & B::SVf_IOK;
    return _float_text($value);
}

# Everything that is not plain in YAML 1.1 is escaped, character by character: no surrogates.
sub _quoted ($text) {
    $text =~ s{(["\\\x00-\x1f\x7f-\x9f\x{2028}\x{2029}\x{feff}\x{fffe}\x{ffff}])}
              {$ESCAPED{$1} // sprintf '\u%04x', ord $1}ge;
    return qq{"$text"};
}

# The shortest digits that are read as the same float, with the point that YAML 1.1 wants.
sub _float_text ($value) {
    return '.nan' if $value != $value;
    return $value > 0 ? '.inf' : '-.inf' if $value == $value * 2 && $value != 0;
    my ($text) = grep { $_ == $value } map { sprintf "%.${_}g", $value } 15 .. 17;
    return $text =~ /\./ ? $text : $text =~ s/(?=e|$)/.0/r;
}

# Reading

# The value of bytes; dies with one line when they are none that HIP knows.
sub from_yaml ($bytes) {
    my $text = $bytes;
    utf8::decode($text) && $text !~ /\p{Cs}|[^\x00-\x{10ffff}]/ or die "no UTF-8\n";
    utf8::downgrade($text, 1);    # where it can be: YAML::PP takes long lines a hundred times quicker
    my $builder  = HIP::Yaml::Builder->new;
    my $receiver = sub ($parser, $name, $event) { $builder->$name($event) };
    YAML::PP::Parser->new(receiver => $receiver)->parse_string($text);
    return $builder->value;
}

# The number of a text, kept as a float: Perl would make an integer of "1.0" + 0.
sub float ($text) { return unpack 'd', pack 'd', $text }

my %READ = (
    '!'       => sub ($text) { $text },
    'str'     => sub ($text) { $text },
    'int'     => sub ($text) { _integer($text) },
    'float'   => sub ($text) { $text =~ /^$FLOAT\z/ ? float($text) : _word($text, 'number') },
    'bool'    => sub ($text) { _word($text, 'boolean') },
    'null'    => sub ($text) { _word($text, 'null') },
    'binary'  => sub ($text) { _bytes($text) },
    'timestamp' => sub ($text) {
        $text =~ /^$MOMENT\z/ or die "no moment: $text\n";
        return HIP::Moment->new($text);
    },
);

# What a scalar means, by its tag, or by its looks when it has no quotes either.
sub scalar_value ($event) {
    my ($text, $tag) = ($event->{value}, $event->{tag});
    if (defined $tag) {
        my $read = $READ{ $tag =~ s/^\Q${\TAG}\E//r } or die "the tag $tag is not accepted\n";
        return $read->($text);
    }
    return $text          if $event->{style} != YAML_PLAIN_SCALAR_STYLE;
    return $WORD{$text}   if exists $WORD{$text};
    return _integer($text) if $text =~ /^$INTEGER\z/;
    return float($text)   if $text =~ /^$FLOAT\z/;
    return $text;
}

sub _word ($text, $kind) {
    exists $WORD{$text} or die "no $kind: $text\n";
    return $WORD{$text};
}

sub _integer ($text) {
    $text =~ /^$INTEGER\z/ && length $text <= DIGITS or die "no integer: " . substr($text, 0, 40) . "\n";
    return length $text <= 18 ? $text + 0 : Math::BigInt->new($text);
}

sub _bytes ($text) {
    $text =~ s/\s+//g;
    $text =~ /^$BASE64\z/ or die "no base 64\n";
    return HIP::Bytes->new(decode_base64($text));
}

# Makes a value of a parser's events. Open lists and mappings are a stack, whose lowest is the
# document: each is what came so far, and mappings become hashes when they end.
package HIP::Yaml::Builder;

use builtin 'blessed';
no warnings 'experimental::builtin';

sub new ($class) { return bless { open => [ [] ], documents => 0 }, $class }

sub value ($self) { return $self->{open}[0][0] }

sub stream_start_event ($self, $) { return }
sub stream_end_event   ($self, $) { $self->{documents} == 1 or die "it is empty\n"; return }
sub document_end_event ($self, $) { return }

sub document_start_event ($self, $) {
    $self->{documents}++ and die "it is more than one document\n";
    return;
}

sub alias_event ($self, $) { die "anchors and aliases are not accepted\n" }

sub scalar_event ($self, $event) {
    $self->alias_event($event) if defined $event->{anchor};
    push @{ $self->{open}[-1] }, HIP::Yaml::scalar_value($event);
    return;
}

sub sequence_start_event ($self, $event) { return $self->_begin($event, 'seq') }
sub mapping_start_event  ($self, $event) { return $self->_begin($event, 'map') }

sub _begin ($self, $event, $kind) {
    $self->alias_event($event) if defined $event->{anchor};
    my $tag = $event->{tag} // '!';
    $tag eq '!' || $tag eq HIP::Yaml::TAG . $kind or die "the tag $tag is not accepted\n";
    @{ $self->{open} } <= HIP::Yaml::DEPTH or die "nested more than ${\HIP::Yaml::DEPTH} deep\n";
    push @{ $self->{open} }, [];
    return;
}

sub sequence_end_event ($self, $) {
    my $list = pop @{ $self->{open} };
    push @{ $self->{open}[-1] }, $list;
    return;
}

sub mapping_end_event ($self, $) {
    my $parts = pop @{ $self->{open} };
    my (@pairs, %seen);
    my $is_hash = 1;
    while (my ($key, $value) = splice @$parts, 0, 2) {
        my $written = HIP::Yaml::to_yaml($key);
        $seen{$written}++ and die "the key $written is there twice\n";
        $is_hash &&= $written =~ /^"/;
        push @pairs, [ $key, $value ];
    }
    my $mapping = $is_hash ? { map { @$_ } @pairs } : bless \@pairs, 'HIP::Mapping';
    push @{ $self->{open}[-1] }, $mapping;
    return;
}

package HIP::Bytes;
sub new ($class, $bytes) { return bless \$bytes, $class }

package HIP::Moment;
sub new ($class, $text) { return bless \$text, $class }

1;
