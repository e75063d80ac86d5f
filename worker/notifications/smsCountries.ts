import {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  isSupportedCountry,
  type PhoneNumber,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max'

/** Countries that text messages may go to (setting SMS_COUNTRIES). `all` is only for local use. */
export type SmsCountries = 'none' | 'all' | ReadonlySet<CountryCode>

const parsed = new Map<string, SmsCountries>()

/** Parses ISO 3166 codes separated by commas, or `*`. Throws for other text: a typo must not open or close a country. */
export function smsCountries(setting: string | undefined): SmsCountries {
  const text = setting?.trim() ?? ''
  const known = parsed.get(text)
  if (known) return known
  const countries = parse(text)
  parsed.set(text, countries)
  return countries
}

function parse(text: string): SmsCountries {
  if (text === '') return 'none'
  if (text === '*') return 'all'
  const codes = text.split(',').map((code) => code.trim())
  const wrong = codes.find((code) => !isSupportedCountry(code))
  if (wrong !== undefined) throw new Error(`SMS_COUNTRIES: "${wrong}" is not an ISO 3166 code`)
  return new Set(codes as CountryCode[])
}

const costly = ['PREMIUM_RATE', 'SHARED_COST', 'UAN', 'PAGER']

/** Whether a text message may go to this number (E.164). Numbers that cost the sender more are refused in every country. */
export function maySendSms(countries: SmsCountries, phone: string): boolean {
  if (countries === 'none') return false
  const number = parsePhoneNumberFromString(phone)
  if (costly.includes(String(number?.getType()))) return false
  return countries === 'all' || (number ? countriesOf(number) : []).some((country) => countries.has(country))
}

/**
 * Regulators add ranges faster than the library knows them: a number whose country it does not know may be of any country with
 * its calling code.
 */
const countriesOf = ({ country, countryCallingCode }: PhoneNumber): CountryCode[] =>
  country ? [country] : getCountries().filter((each) => getCountryCallingCode(each) === countryCallingCode)
