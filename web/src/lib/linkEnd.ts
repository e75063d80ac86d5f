/**
 * Punctuation after a link in a sentence, which mail and chat programs often take for a part of it: 'see <https://…/claim/x>.'
 * No path of ours ends with any of it, and no token or id.
 */
const end = /(?:%[\da-f]{2}|[^\w-])+$/i

/** A query whose values may be texts that end like that. Of those in our mails, the last value is an id. */
const query = /\?(?!.*#|(?:.*&)?(?:session|to)=[^&]*$).*=/

/** An address of ours without such an end. */
export const withoutEnd = (href: string): string => (query.test(href) ? href : new URL(href.replace(end, '')).href)
