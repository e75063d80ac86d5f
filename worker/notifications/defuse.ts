/**
 * Breaks whatever mail and message programs would turn into a link, so that nothing that a user wrote becomes one in a message
 * from us: 'https://a.example' → 'https[:]//a[.]example'. The brackets say that it was changed. Nothing is broken twice. Phone
 * numbers stay as they are (docs/threats.md, F5).
 */
export const defused = (text: string): string =>
  text
    .replace(scheme, '[$&]')
    .replace(ipAddress, (address) => address.replaceAll('.', '[.]'))
    .replace(dot, '[$&]')
    .replace(at, '[$&]')
    .replace(share, '[$&]')

/** 'https://', 'mailto:ada', 'tel:+1', but not 'Note: …' and '10:30'. */
const scheme = /(?<=\p{L}[\p{L}\p{N}+.-]*)[:：](?=[\p{L}\p{N}/\\+?#%&@*_~-])|[:：](?=[/\\]{2})/gu
const ipAddress = /(?<!\d)(?:\d{1,3}\.){3}\d{1,3}(?!\d)/g
/** Between a label and a letter, and after www. The ideographic marks are dots in host names, too. */
const dot = /(?<=[^\s.．。｡])[.．。｡](?=[\p{L}\p{M}])|(?<=www)[.．。｡]+/giu
const at = /(?<=\S)[@＠﹫](?=[\p{L}\p{N}])/gu
/** Outlook opens '\\server\folder'. */
const share = /\\(?=\\)/g
