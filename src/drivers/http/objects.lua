-- An object of each class, for the comparison with the signatures (test/lua/host-register.test.ts).
show_object('http.Client', http.client())
show_object('http.Request', http.request('GET', 'http://x/'))
local response = assert(http.get(URL))
show('http.Response', response)
-- Its methods are behind a function, beside the headers themselves.
show('http.Headers', { get = response.headers.get, values = response.headers.values })
show('http.Cookie', response.cookies[1])
