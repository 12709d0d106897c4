// HTTP, for scripts of devices and of rules.
/** Tables and classes, in the order of the documentation. A class has a capital letter. */
export const tables = {
  http: "HTTP and HTTPS.",
  "http.ClientOptions": "How a client works.",
  "http.Client": "A client with options of its own.",
  "http.Request": "A request that is not sent yet.",
  "http.Response": "An answer, whatever its code.",
  "http.Headers": "The headers of an answer. A name is found however it is written.",
  "http.Cookie": "A cookie that an answer sets.",
};

/** parse-signature.ts explains the notation. */
export const signatures = {
  "http.get(url: string): http.Response?, string?": "Sends a GET with the default client.",
  "http.post(url: string, content_type?: string, body?: string): http.Response?, string?":
    "Sends a POST with the default client.",
  "http.post_form(url: string, fields: table<string, any>): http.Response?, string?":
    "Sends a form with the default client.",
  "http.client(options?: http.ClientOptions): http.Client": "Returns a client with options of its own.",
  "http.request(method: string, url: string, body?: string): http.Request":
    "Returns a request for `client:do_request`.",
  "http.ClientOptions.timeout: number?": "Seconds; 10 by default, at most 60.",
  "http.ClientOptions.insecure_tls: boolean?": "True accepts any certificate.",
  "http.ClientOptions.enable_cookie_jar: boolean?": "True keeps cookies between requests.",
  "http.Client:get(url: string): http.Response?, string?": "Sends a GET.",
  "http.Client:post(url: string, content_type?: string, body?: string): http.Response?, string?": "Sends a POST.",
  "http.Client:post_form(url: string, fields: table<string, any>): http.Response?, string?": "Sends a form.",
  "http.Client:do_request(request: http.Request): http.Response?, string?": "Sends a request.",
  "http.Request.method: string": "Its method.",
  "http.Request.url: string": "Its address.",
  "http.Request.body: string?": "Its body.",
  "http.Request.headers: table": "What `set_header` has set.",
  "http.Request:set_header(name: string, value: any): string?": "Sets a header; returns nil or an error text.",
  "http.Request:set_basic_auth(username: string, password: string)": "Sets the header for a login.",
  "http.Request:add_cookie(name: string, value: any)": "Adds a cookie.",
  "http.Response.code: integer": "The status, such as 200.",
  "http.Response.body: string": "The unchanged bytes.",
  "http.Response.headers: http.Headers": "The headers.",
  "http.Response.cookies: http.Cookie[]": "The cookies that it sets.",
  "http.Headers:get(name: string): string?": "Returns the first value of a header.",
  "http.Headers:values(name: string): string[]": "Returns all values of a header.",
  "http.Headers[string]: string[]": "All values of a header.",
  "http.Cookie.name: string": "Its name.",
  "http.Cookie.value: string": "Its value.",
  "http.Cookie.expires: string?": "Until when it is valid.",
};
