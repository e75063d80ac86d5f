/** A mutant that no test can kill, since it does not change what the contracts do. */
export type Equivalent = {
  path: string
  /** The line of the source, without indentation. */
  line: string
  before: string
  after: string
  /** Its number, counted from 1, if the source has several mutants with these four values. */
  nth?: number
  reason: string
}

const higherMemory =
  'reads a pointer 256 times as high, to memory that is free too; costs some 5,000 gas more, which only a gas test sees'
const afterTheArgument = 'the copy reaches at least the 20 bytes of the address; mload(0) and shr(96) use no others'
const unusedOutput = 'the output goes to scratch memory, which nothing reads'
const oneGas = 'moves the bound by one gas; how much is left at the check depends on the build, and 6,000 are reserved'
const behindTheCall = 'the call takes 0xc4 bytes, and the additional byte lies behind them in free memory'

const sendCall = 'success := call(gasCap, wallet, 0, free, 0xc4, 0, 0)'
const signatureCopy = 'calldatacopy(add(free, 0x84), add(item, 62), 64)'
const anyCall = 'success := call(gasCap, target, 0, free, data.length, 0, 0)'
const freeMemory = 'let free := mload(0x40)'
const argumentCopy = 'extcodecopy(address(), 0, add(0x2d, offset), 0x20)'
const highestCap = 'if (gasCap > highest) highest = gasCap;'
const grantsWord = 'return (uint256(uint16(day)) << 37) | (amount > MAX_AMOUNT ? MAX_AMOUNT : amount);'
const gasCheck = 'if (gasleft() < needed) revert NotEnoughGas(gasleft(), needed);'

export const equivalents: Equivalent[] = [
  { path: 'src/Relay.sol', line: gasCheck, before: '<', after: '<=', reason: oneGas },
  { path: 'src/Relay.sol', line: highestCap, before: '>', after: '>=', reason: 'assigns the value that it has' },
  {
    path: 'src/SessionWord.sol',
    line: grantsWord,
    before: '>',
    after: '>=',
    reason: 'both branches are MAX_AMOUNT then',
  },
  { path: 'src/Relay.sol', line: freeMemory, before: '0x40', after: '0x41', nth: 1, reason: higherMemory },
  { path: 'src/WalletMessages.sol', line: freeMemory, before: '0x40', after: '0x41', reason: higherMemory },

  {
    path: 'src/Purchase.sol',
    line: 'address(this),',
    before: 'address(this)',
    after: '(this)',
    reason: 'abi.encode writes a contract as its address',
  },

  { path: 'src/WalletArguments.sol', line: argumentCopy, before: '0x20', after: '0x21', reason: afterTheArgument },
  { path: 'src/WalletArguments.sol', line: argumentCopy, before: '0x20', after: '0x1f', reason: afterTheArgument },

  { path: 'src/Relay.sol', line: signatureCopy, before: '64', after: '0x41', reason: behindTheCall },
  { path: 'src/Relay.sol', line: sendCall, before: '0', after: '0x1', nth: 2, reason: unusedOutput },
  { path: 'src/Relay.sol', line: sendCall, before: '0', after: '0x1', nth: 3, reason: unusedOutput },
  { path: 'src/Relay.sol', line: anyCall, before: '0', after: '0x1', nth: 2, reason: unusedOutput },
  { path: 'src/Relay.sol', line: anyCall, before: '0', after: '0x1', nth: 3, reason: unusedOutput },
]
