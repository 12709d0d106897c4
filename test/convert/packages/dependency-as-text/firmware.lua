local config = require('acme.ucm.config')
config.init({ name = { type = 'string', default = 'nobody' } }, {
  before_write = function(args)
    if args.name == 'bad' then return 'that name is taken' end
  end,
})
