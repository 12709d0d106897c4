error('tests of a rock are no modules')
