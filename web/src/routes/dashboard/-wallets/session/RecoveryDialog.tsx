import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { Download, Printer } from 'lucide-react'
import { Button, buttonClass } from '#web/components/Button.tsx'
import { Dialog } from '#web/components/Dialog.tsx'
import { Skeleton } from '#web/components/states.tsx'
import { chainConfig } from '#web/lib/chainConfig.ts'
import { saveFile } from '#web/lib/saveFile.ts'
import { configQuery } from '#web/queries/config.ts'
import { walletName } from '#web/queries/wallets.ts'
import type { WalletDialogProps } from '../walletSearch.ts'
import { recoverySheet, sheetText } from './recoverySheet.ts'

/** What an owner needs to withdraw without us: a sheet for this wallet, and the recovery page. Contains no secrets. */
export default function RecoveryDialog(props: WalletDialogProps) {
  const { wallet } = props
  const config = useQuery(configQuery).data
  const sheet = config && recoverySheet(wallet, chainConfig(config, wallet.chain))

  function download() {
    if (!sheet) return
    saveFile(new Blob([sheetText(sheet)], { type: 'text/plain' }), `bursar-recovery-${wallet.address.slice(0, 10)}.txt`)
  }

  return (
    <Dialog
      isViewOnly
      title="Recovery sheet"
      description="Everything you need to reach your money without us. Keep it with your recovery phrase."
      onClose={props.onClose}
      wide
      footer={
        <>
          <a href="/recovery.html" download="bursar-recovery.html" className={buttonClass('secondary')}>
            <Download aria-hidden="true" className="size-4" />
            Recovery page
          </a>
          <Button look="secondary" onClick={() => print()}>
            <Printer aria-hidden="true" className="size-4" />
            Print
          </Button>
          <Button onClick={download} disabled={!sheet}>
            <Download aria-hidden="true" className="size-4" />
            Download sheet
          </Button>
        </>
      }
    >
      {sheet ? (
        <article
          data-print
          data-testid="recovery-sheet"
          aria-label="Recovery sheet"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
          tabIndex={0}
          className="space-y-4 rounded-sm"
        >
          <header className="hidden print:block">
            <h1 className="font-semibold text-title">{sheet.title}</h1>
          </header>
          <p className="wrap-anywhere text-muted text-small">
            {walletName(wallet)} · made on {sheet.madeOn}
          </p>
          <dl className="divide-y divide-hairline">
            {sheet.facts.map(([name, value]) => (
              <div key={name} className="py-2 sm:grid sm:grid-cols-[11rem_1fr] sm:gap-4">
                <dt className="text-muted text-small">{name}</dt>
                <dd
                  translate="no"
                  className={clsx('text-small', value.includes(' ') ? 'wrap-anywhere' : 'break-all font-mono')}
                >
                  {value}
                </dd>
              </div>
            ))}
          </dl>
          <div>
            <h2 className="font-medium">How to get your money out without us</h2>
            <ol className="mt-2 list-decimal space-y-1 pl-5 marker:text-muted">
              {sheet.steps.map((step) => (
                <li key={step}>{step}</li>
              ))}
            </ol>
          </div>
        </article>
      ) : (
        <Skeleton className="h-64" />
      )}
    </Dialog>
  )
}
