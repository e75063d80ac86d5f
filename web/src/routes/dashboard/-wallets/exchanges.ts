/** Steps for cashing out USDC on Base: get a deposit address, send, then sell and withdraw. */
const send = {
  title: 'Send USDC to that address',
  text: 'Press “Send USDC” below and paste the address. The network fee is covered.',
}

export const exchanges = [
  {
    name: 'Coinbase',
    steps: [
      {
        title: 'Get your deposit address',
        text: 'In the Coinbase app choose Transfer, then Receive crypto, USD Coin (USDC), and the network Base. Copy the address.',
      },
      send,
      {
        title: 'Cash out',
        text: 'Once it has arrived, convert USDC to your currency, choose Withdraw cash, and your bank account.',
      },
    ],
  },
  {
    name: 'Kraken',
    steps: [
      {
        title: 'Get your deposit address',
        text: 'In Kraken choose Deposit, USDC, and “USDC (Base)” as the deposit method. Generate an address and copy it.',
      },
      send,
      {
        title: 'Sell and withdraw',
        text: 'Sell USDC for your currency, then choose Withdraw, the currency, and your bank account.',
      },
    ],
  },
  {
    name: 'Binance',
    steps: [
      {
        title: 'Get your deposit address',
        text: 'In Binance choose Deposit crypto, USDC, and the network BASE. Copy the address; no memo is needed.',
      },
      send,
      {
        title: 'Sell and withdraw',
        text: 'Convert USDC to your currency, then choose Withdraw, Fiat, and your bank account or card.',
      },
    ],
  },
]
