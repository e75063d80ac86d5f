/** Passwords that attackers try first. Comparison ignores case and trailing digits and punctuation. */
const common = new Set(
  `123456 1234567 12345678 123456789 1234567890 111111 000000 123123 654321 666666 121212 112233 password passw0rd
   p@ssw0rd qwerty qwerty123 qwertyuiop asdfgh asdfghjkl zxcvbn zxcvbnm 1q2w3e 1q2w3e4r 1q2w3e4r5t 1qaz2wsx abc123
   abcdef abcd1234 iloveyou admin admin123 administrator welcome welcome1 letmein monkey dragon football baseball
   basketball master sunshine princess shadow superman batman trustno1 starwars whatever freedom michael jordan23
   charlie donald secret changeme default login guest google bursar bitcoin ethereum usdc1234`
    .split(/\s+/)
    .filter(Boolean),
)

export function isCommonPassword(password: string): boolean {
  const plain = password.normalize('NFKC').toLowerCase()
  const bare = plain.replace(/[!.?*]+$/, '')
  return [plain, bare, bare.replace(/\d+$/, '')].some((each) => common.has(each)) || /^(.)\1*$/u.test(plain)
}
