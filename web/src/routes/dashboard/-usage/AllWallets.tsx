import { Amount } from '#web/components/Amount.tsx'
import { Button } from '#web/components/Button.tsx'
import { Card, Fact } from '#web/components/Card.tsx'
import type { UsageWallet } from '#web/queries/usage.ts'
import { walletName } from '#web/queries/wallets.ts'

/** The current month of every wallet, side by side. */
export function AllWallets(props: { wallets: UsageWallet[]; onSelect: (wallet: UsageWallet) => void }) {
  return (
    <section aria-labelledby="all-wallets">
      <h2 id="all-wallets" className="mb-3 font-semibold">
        All Wallets
      </h2>
      <ul className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
        {props.wallets.map((wallet) => {
          const { currentSpent, limit, percentUsed } = wallet.sessionKeyBudget
          return (
            <li key={wallet.id}>
              <Card className="flex h-full flex-col p-5">
                <h3 className="wrap-anywhere font-semibold">{walletName(wallet)}</h3>
                {wallet.chain !== 'base' && <p className="text-muted text-small">Test network: not real money</p>}
                <dl className="mt-1 flex-1 divide-y divide-hairline">
                  <Fact name="Spent">
                    <Amount value={currentSpent} chain={wallet.chain} />
                  </Fact>
                  <Fact name="Limit">{limit === null ? 'None' : <Amount value={limit} chain={wallet.chain} />}</Fact>
                  <Fact name="Used %">{percentUsed === null ? 'N/A' : `${percentUsed}%`}</Fact>
                  <Fact name="Policy groups">{wallet.policyGroups.length}</Fact>
                </dl>
                <Button
                  look="secondary"
                  className="mt-3"
                  aria-label={`View Details of ${walletName(wallet)}`}
                  onClick={() => props.onSelect(wallet)}
                >
                  View Details
                </Button>
              </Card>
            </li>
          )
        })}
      </ul>
    </section>
  )
}
