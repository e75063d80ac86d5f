/**
 * The rule for texts that people read: no characters that are invisible or change the direction of others, so that what is
 * shown is what is stored. Record 074.
 */

const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u

const emoji = String.raw`\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|[\ufe0e\ufe0f])?`
const virama = String.raw`[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca]`
/** Where such a character changes what is seen: in emoji (UTS #51), and as a joiner of Indic and Arabic letters. */
const shown = new RegExp(
  [
    String.raw`\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f}`, // flags of regions
    String.raw`${emoji}(?:\u200d${emoji})*`,
    String.raw`[0-9#*]\ufe0f\u20e3`,
    String.raw`[\u200c\u200d]?${virama}[\u200c\u200d]?`,
    String.raw`\p{Script=Arabic}\u200c(?=\p{Script=Arabic})`,
  ].join('|'),
  'gu',
)

/** The problem with a text, or null. `lines`: it may have line breaks and tabs. */
export function hiddenProblem(label: string, text: string, lines?: 'lines'): string | null {
  const rest = text.replace(shown, ' ')
  return hidden.test(lines ? rest.replace(/[\t\r\n]/g, ' ') : rest)
    ? `${label} must not contain control or invisible characters`
    : null
}
