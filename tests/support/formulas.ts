import fc from 'fast-check'

/** The characters that decide what a spreadsheet makes of a cell. */
export const cellCharacter = fc.constantFrom(...'=+-@＝＋－＠;,|\t\n\r" \'a1\u00a0\u3000(')

/** Texts of users that a spreadsheet could take for a formula, after any separator that it may be set to. */
export const formulas = [
  '=1+1',
  'Dinner;=HYPERLINK("http://x.test","Open");',
  'lunch; =1+1',
  'a|@SUM(A1)',
  '"=1+1"',
  'x;"=1+1',
  'x;""=1+1',
  '＝1+1',
  '\u00a0=1+1',
  ';;=1',
  '+1+1',
  '-1+1',
  ',=1+1',
  '",=1+1,"',
]
/** Texts with tabs and line breaks, in lines only. */
export const withControls = ['a\t=2+2', 'two\n=1+1', 'two\r\n+1+1', '\t=1+1', 'x;\t=1+1', '"\t=1+1']
