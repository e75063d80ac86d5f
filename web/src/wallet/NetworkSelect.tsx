import { useSwitchChain } from 'wagmi'
import { Field, Select } from '../components/Field.tsx'
import { type ChainId, chainIds, chainNames, isSupported } from './chains.ts'
import { walletProblem } from './problems.ts'

/** The wallet's network. Choosing another one asks the wallet, which may have to add it first. */
export function NetworkSelect(props: { chainId: number | undefined }) {
  const { chainId } = props
  const { error, isPending, switchChain, variables } = useSwitchChain({ mutation: { retry: false } })
  const shown = isPending ? variables.chainId : isSupported(chainId) ? chainId : ''
  return (
    <Field
      label="Network"
      error={error ? walletProblem(error) : undefined}
      hint={isPending ? 'Respond to the request in your wallet.' : shown === '' && 'Your wallet is on another network.'}
    >
      {(control) => (
        <Select
          {...control}
          value={shown}
          disabled={isPending}
          onChange={(event) => switchChain({ chainId: Number(event.target.value) as ChainId })}
        >
          {shown === '' && <option value="">Another network</option>}
          {chainIds.map((id) => (
            <option key={id} value={id}>
              {chainNames[id]}
            </option>
          ))}
        </Select>
      )}
    </Field>
  )
}
