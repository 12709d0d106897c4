return { of = function(text) return 'the word ' .. text end }
