rockspec_format = '3.0'
package = 'own'
local rock_version, release = 'dev', 1
version = ('%s-%d'):format(rock_version, release)
source = { url = rock_version == 'dev' and 'git+https://example.com/own.git' or nil }
dependencies = { 'lua ~> 5.3', 'acme-ucm >= 0.3' }
build = { type = 'builtin' }
