/**
 * The name that an app gives itself, made fit to be shown to a person who decides about money: short, without characters
 * that are invisible, change direction or look like others, and without markup. Record 084.
 */

const maxLetters = 40

/** Letters of these scripts are not mistaken for Latin ones, so that they may stand next to them. */
const others = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Devanagari}`
/** Without dotless ı, ĸ and the click letters ǀ ǁ ǂ ǃ. */
const latin = String.raw`a-zA-Z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u0130\u0132-\u0137\u0139-\u01bf\u01c4-\u024f`
const latinOrOthers = new RegExp(`^[${latin}${others}\\d .&+'()-]*$`, 'u')
/** Names in these scripts must have a letter that no Latin letter looks like. */
const alone = [
  /^(?=.*[бгджзийлпфцчшщъыьэюя])[\p{Script=Cyrillic}\d .&+'()-]*$/iu,
  /^(?=.*[γδζθλξπσφψω])[\p{Script=Greek}\d .&+'()-]*$/iu,
]

/** Latin letters with strokes and tails, which do not decompose, and digits, as what they look like in our name. */
const lookalikes = new Map(
  Object.entries({ b: 'ƀƃƅɓ8', u: 'ʉʊʋ', r: 'ɍʀ', s: 'ȿƽƨß5', a: 'ⱥ4' }).flatMap(([letter, others]) =>
    [...others].map((other) => [other, letter]),
  ),
)

/** Whether people would read our own name in it, which only our command line may use. */
function isOurs(name: string): boolean {
  const letters = [...name.toLowerCase().normalize('NFD')].map((letter) => lookalikes.get(letter) ?? letter)
  return letters
    .join('')
    .replace(/[^\p{L}]/gu, '')
    .includes('bursar')
}

/** Null if the text has no name that can be shown; then say where the app is, or that it has none. */
export function appName(text: unknown): string | null {
  if (typeof text !== 'string') return null
  const plain = text
    .slice(0, 1_000)
    .normalize('NFKC')
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}\u2800]/gu, ' ')
    .replace(/[^\p{L}\p{M}\d.&+'()-]+/gu, ' ')
    // Some clients add the server's name, which for ours a person has chosen: "Claude Code (bursar)".
    .replace(/ ?\([^()]*bursar[^()]*\)/giu, '')
    .trim()
  const isReadable = latinOrOthers.test(plain) || alone.some((script) => script.test(plain))
  if (!isReadable || !/\p{L}/u.test(plain) || isOurs(plain)) return null
  const letters = [...plain]
  return letters.length <= maxLetters
    ? plain
    : `${letters
        .slice(0, maxLetters - 1)
        .join('')
        .trim()}…`
}
