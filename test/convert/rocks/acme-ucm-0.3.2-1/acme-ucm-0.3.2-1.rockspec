rockspec_format = '3.0'
package = 'acme-ucm'
local rock_version, rock_release = '0.3.2', '1'
version = ('%s-%s'):format(rock_version, rock_release)
source = {
  url = 'git+https://example.com/acme-ucm.git',
  branch = rock_version == 'scm' and 'main' or nil,
  tag = rock_version ~= 'scm' and 'v' .. rock_version or nil,
}
dependencies = { 'lua ~> 5.3' }
build = { type = 'builtin' }
