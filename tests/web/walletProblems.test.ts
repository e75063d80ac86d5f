import { ResourceUnavailableRpcError, SwitchChainError, UserRejectedRequestError } from 'viem'
import { expect, test } from 'vitest'
import { ChainNotConfiguredError, ProviderNotFoundError } from 'wagmi'
import { ApiError } from '#web/lib/apiError.ts'
import { noWallet, rejected, walletProblem } from '#web/wallet/problems.ts'

const thrown = (code: number, message: string) => Object.assign(new Error(message), { code })

test.each([
  ['a wallet’s error 4001', thrown(4001, 'User denied')],
  ['a wallet’s error 4001 wrapped by wagmi', new UserRejectedRequestError(thrown(4001, 'User denied'))],
  ['a closed pairing without a code', new UserRejectedRequestError(new Error('Connection request reset'))],
  ['a WalletConnect wallet’s error 5000', thrown(5000, 'User rejected.')],
])('%s is reported as a rejection @wallet-link-20', (_, error) => {
  expect(walletProblem(error)).toBe('You rejected the request in your wallet.')
  expect(walletProblem(error)).toBe(rejected)
})

test.each([
  ['an unsupported chain', new ChainNotConfiguredError()],
  ['a failed switch', new SwitchChainError(thrown(-32603, 'Unrecognized chain'))],
  ['a wallet that cannot add networks', new UserRejectedRequestError(thrown(-32601, 'No such method'))],
])('%s asks to set up the network @wallet-link-21', (_, error) => {
  expect(walletProblem(error)).toBe('Your wallet is not set up for this network. Add it there, then try again.')
})

test('messages for a missing wallet and a pending request say what to do @wallet-link-22', () => {
  expect(walletProblem(new ProviderNotFoundError())).toBe(noWallet)
  expect(walletProblem(new ResourceUnavailableRpcError(thrown(-32002, 'Already pending')))).toMatch(/earlier request/)
})

test('other errors keep their own message @wallet-link-23', () => {
  expect(walletProblem(thrown(-32000, 'The ledger is locked'))).toBe('The ledger is locked')
  expect(walletProblem(new ApiError(422, 'invalid_input', 'The signature does not fit.'))).toBe(
    'The signature does not fit.',
  )
})
