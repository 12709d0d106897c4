// What a password has to be: long enough, and none that everybody tries first. Rules about digits and signs only make
// people write passwords down.

export const MIN_PASSWORD_LENGTH = 10;
/** Longer ones are refused, not cut. In UTF-16 units, as a schema counts. */
export const MAX_PASSWORD_LENGTH = 256;

/** The most frequent ones of lists of leaked passwords that are long enough, and what people think of at a site. */
const COMMON = new Set(
  `1234567890 0123456789 12345678910 123456789a 1234567891 0987654321 9876543210 1q2w3e4r5t 1q2w3e4r5t6y qwertyuiop
  qwertzuiop qwerty12345 qwerty1234 qwerty123456 qwertz1234 qwertz12345 asdfghjkl1 asdfghjklö 1qaz2wsx3edc zaq12wsxcde3
  password12 password123 password1234 password12345 passw0rd123 p@ssw0rd123 password1! password123! mypassword passwordpassword
  passwort12 passwort123 passwort1234 passwort12345 passwort1! passwort123! meinpasswort geheim1234 geheim12345 hallo12345
  iloveyou12 iloveyou123 iloveyou1234 ichliebedich abcdefghij abcdefghijk abcdefghijkl abcd123456 abc1234567 a1b2c3d4e5
  administrator admin12345 admin123456 admin1234567 adminadmin rootrootroot welcome123 welcome1234 willkommen willkommen1
  letmein123 letmein1234 changeme123 changeme1234 football123 football1234 baseball123 superman123 princess123 sunshine123
  trustno1trustno1 testtest123 test123456 test1234567 testpassword defaultpassword energy12345 busbar12345 busbarbusbar
  correcthorsebatterystaple`.split(/\s+/),
);

/** What is wrong with a password, or undefined. `own`: what others know of the person, such as the mail address. */
export function passwordProblem(password: string, own: readonly string[] = []): string | undefined {
  const length = [...password].length;
  if (length < MIN_PASSWORD_LENGTH) {
    return `the password has ${length} characters; it needs at least ${MIN_PASSWORD_LENGTH}, for example four words`;
  }
  if (password.length > MAX_PASSWORD_LENGTH) return `the password has more than ${MAX_PASSWORD_LENGTH} characters`;
  const small = password.normalize("NFC").toLowerCase().trim();
  if (COMMON.has(small) || new Set(small).size < 4) {
    return "the password is one of those that everybody tries first; take another, for example four words";
  }
  if (own.some((text) => text.normalize("NFC").toLowerCase().trim() === small)) {
    return "the password is the name or the mail address of the person; take another, for example four words";
  }
  return undefined;
}
