package = 'acme-words'
version = string.format('%s-%d', 'scm', 1)
