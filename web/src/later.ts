/** What pages need after their first screen, for which they keep the bandwidth. */
import { restoreReplacedText } from './lib/replacedText.ts'

export { default } from './components/Toaster.tsx'

// Nobody translates a page before its first text.
restoreReplacedText(Node.prototype, 'nodeValue')
