return { of = function(n) return n * 10 end }
