import { CopyButton } from '#web/components/CopyButton.tsx'

/** The 12 words of a kept account, numbered. */
export const WordList = ({ words }: { words: string }) => (
  <div className="mb-4 space-y-3">
    <ol
      translate="no"
      data-testid="kept-words"
      className="grid grid-cols-[repeat(auto-fit,minmax(12ch,1fr))] gap-x-4 gap-y-1 rounded-control bg-sunken p-4"
    >
      {words.split(' ').map((word, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a word may come twice, and none ever moves
        <li key={i} className="flex gap-2">
          <span className="w-6 text-right text-muted">{i + 1}</span>
          <span translate="no" className="font-mono">
            {word}
          </span>
        </li>
      ))}
    </ol>
    <CopyButton wide className="w-full" text={words} what="12 words" />
    <p className="text-muted text-small">
      Write them down on paper, in this order, or import them into a wallet app such as Coinbase Wallet, MetaMask or
      Rabby. Anyone who has them can take the money. No one, including us, should ever ask for them.
    </p>
  </div>
)
