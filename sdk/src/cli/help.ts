/** Exit codes. Scripts depend on them: they never change. */
export const exitCodes = { done: 0, usage: 2, refused: 3, waiting: 4, signedOut: 5, unknown: 6 } as const

const codes = `Exit codes:
  0  done
  2  wrong usage, or a request that Bursar does not understand
  3  refused by a rule or by the owner, or failed: nothing was paid
  4  waiting for the owner's approval
  5  signed out: no login or API key, or it is not valid any more
  6  outcome unknown: repeat the command with the same --key, it never pays twice`

const environment = `Environment:
  BURSAR_API_KEY   the API key of an agent, used instead of a login
  BURSAR_URL       where Bursar is; default: that of the login, or http://localhost:3001
  XDG_CONFIG_HOME  the login is kept in its bursar/login.json; default: ~/.config`

export const overview = `Pays in USDC on Base from an agent's budget.

  bursar login                 connects this computer; no browser needed here
  bursar logout                ends that
  bursar budget                what is left of the budget, and what may be paid now
  bursar check <to> <amount>   whether a payment would pass, without paying
  bursar pay <to> <amount>     pays
  bursar fetch <url>           requests it, and pays if it costs something (x402)
  bursar payments [id]         the newest payments, or one of them
  bursar ask <amount>          asks the owner for more budget
  bursar run <file>            prepares the payments of a CSV for a person to decide

<to> is an address (0x…), an email address or a phone number (+…). <amount> is in USDC, such as 12.50.
Prints tables on a terminal, and JSON elsewhere or with --json.

  bursar <command> --help      options and examples
  bursar --version

${environment}

${codes}`

/** By command. */
export const help = {
  login: `bursar login [--url <url>] [--json]

Connects this computer as an agent. Shows an address and a code: open the address on any device, sign in there, enter the code, and
choose what may be spent. Other commands then need no API key. An earlier login on this computer ends.

  --url <url>  where Bursar is; default: BURSAR_URL, or http://localhost:3001
  --json

  bursar login
  bursar login --url https://bursar.example`,
  logout: `bursar logout [--json]

Ends the login, here and at Bursar. The agent and its history stay.

  bursar logout`,
  budget: `bursar budget [--json]

What is left of the budget, what may be paid now, and the rules.

  bursar budget
  bursar budget --json | jq -r .max_allowed_now`,
  check: `bursar check <to> <amount> [--json]

Whether a payment would pass, without paying. Exits with 3 if it would be refused, with 4 if the owner would be asked.

  bursar check 0x8ba1f109551bD432803012645Ac136ddd64DBA72 12.50
  bursar check ada@example.com 500 || echo "not now"`,
  pay: `bursar pay <to> <amount> [options]

Pays once. An email address or phone number gets a link to claim the money.

  --memo <text>        for the owner's records
  --reference <text>   an invoice or order number; lists can be filtered by it
  --reason <text>      shown to the owner if the payment needs approval
  --key <text>         names this payment: commands with the same key never pay twice. Default: a new one
  --wait <until>       sent: until the money has left the wallet. final: for a payout, until it is claimed or returned
  --timeout <seconds>  ends the wait; the payment goes on. Default: none
  --json

  bursar pay 0x8ba1f109551bD432803012645Ac136ddd64DBA72 12.50 --wait sent
  bursar pay ada@example.com 25 --memo "Invoice 1142" --key invoice-1142
  bursar pay +14155550123 3 --json | jq -r .id`,
  fetch: `bursar fetch <url> [options]

Requests <url>, as curl does. If it is sold by x402, pays for it once and requests it again. Prints the body to standard output, and what
was paid to standard error. Exits with 3 if nothing was paid and the status is not a success, with 6 if it was handed a payment and
did not serve.

  -X, --method <name>      default: GET, or POST with --data
  -d, --data <text>        the body of the request; @file reads it from a file
  -H, --header <line>      such as "accept: application/json"; may be repeated
  --max-amount <amount>    the most to pay, in USDC. Default: 1
  --memo <text>            for the owner's records
  --reference <text>       an invoice or order number; lists can be filtered by it
  --reason <text>          shown to the owner if the purchase needs approval
  --key <text>             names this purchase: commands with the same key never buy twice. Default: a new one
  --wait approved          waits for the owner if the purchase needs approval. Default: exits with 4
  --timeout <seconds>      ends the command. Default: none, but 120 for each reply
  --json                   what was paid, as JSON

  bursar fetch https://api.example.com/weather --max-amount 0.05
  bursar fetch https://api.example.com/report -d @question.json -H "content-type: application/json" --key report-7`,
  payments: `bursar payments [id] [options]

The newest payments, or one of them.

  --reference <text>   only those with this reference
  --limit <number>     how many at most; default: 20
  --json

  bursar payments
  bursar payments pay_0mws9c1f4k2b7
  bursar payments --limit 1000 --json | jq -r '.[] | select(.status == "FAILED") | .id'`,
  ask: `bursar ask <amount> [options]

Asks the owner to add <amount> to the budget. Exits with 4 while the owner has not decided; repeat it with its --key to see.

  --reason <text>      why you need it; the owner reads it
  --key <text>         names this request: commands with the same key ask once. Default: a new one
  --json

  bursar ask 50 --reason "Twelve more invoices are due this week."`,
  run: `bursar run <file> [options]

Prepares the payments of a CSV with the columns to, amount, name, memo, reference: at most 200 rows. Nothing is paid before a person has
submitted and approved the run on its page. Exits with 4 if no row has an error, with 3 if some have: correct the file, and repeat the
command with --replaces.

  --title <text>    what the payments are for. Default: the name of the file
  --replaces <id>   a draft that this run replaces; it is cancelled
  --again           pays rows that are a run already once more
  --key <text>      names this run: commands with the same key prepare it once. Default: a new one
  --json

  bursar run salaries.csv --title "Salaries November"
  bursar run salaries.csv --title "Salaries November" --replaces run_0mws9c1f4k2b7`,
} as const
