# A customer of the sandbox by OpenAPI::Client, which makes a method of each operation and refuses requests that the document does not allow.
# Arguments: the file of the document, the URL of the API, id and secret of an application, an address. Prints what it read as JSON.
use strict;
use warnings;
use Mojo::JSON 'encode_json';
use OpenAPI::Client;

my ($file, $url, $id, $secret, $address) = @ARGV;
my $api = OpenAPI::Client->new("file://$file", base_url => $url);

sub call {
  my ($operation, $parameters, @content) = @_;
  my $answer = $api->call($operation => $parameters, @content)->res;
  die "$operation: ", $answer->code, ' ', $answer->body, "\n" if $answer->is_error;
  return $answer->json;
}

my %form = (grant_type => 'client_credentials', client_id => $id, client_secret => $secret);
my $token = call('createToken', {}, form => \%form)->{access_token};
$api->on(after_build_tx => sub { $_[1]->req->headers->authorization("Bearer $token") });

my $refused = $api->call('listOrders', {limit => 501})->res;
print encode_json({
  user => call('readUserContext', {})->{userId},
  balances => call('readBalances', {chain => 'chiado', address => $address, currency => ['eur', 'usd']})->{balances},
  orders => call('listOrders', {state => ['processed'], address => $address, limit => 500})->{total},
  refused => $refused->code,
});
