/** What of Lua's own library a script has, by table; "" are the globals. What Lua 5.3 lacks is in the register. */
export const STANDARD_LIBRARY: Readonly<Record<string, string>> = {
  "": `assert collectgarbage error getmetatable ipairs load next pairs pcall print rawequal rawget rawlen rawset require
    select setmetatable tonumber tostring type xpcall _G _VERSION`,
  coroutine: "create isyieldable resume running status wrap yield",
  math: `abs acos asin atan ceil cos deg exp floor fmod huge log max maxinteger min mininteger modf pi rad random
    randomseed sin sqrt tan tointeger type ult`,
  package: "config cpath loaded path preload",
  string: "byte char find format gmatch gsub len lower match pack packsize rep reverse sub unpack upper",
  table: "concat insert move pack remove sort unpack",
  utf8: "char charpattern codepoint codes len offset",
};
