// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title The session key, its expiry, and what the provider granted today, in one storage word.
/// @dev Word: `key 160 | validUntil 40 | grants (day 16, amount 37) | flags 3`. Sends only read it. Solidity has no
/// uint37 for a struct, and a separate word for the grants would cost a wallet's first rotation 22,100 gas. The
/// session's epoch is stored in the upper half of `SendWindow.top`.
library SessionWord {
    /// @dev The owner disabled rotation. Irreversible.
    uint256 internal constant ROTATION_DISABLED = 1;
    /// @dev The owner revoked the session and has not set another one. Blocks rotation.
    uint256 internal constant REVOKED = 2;
    /// @dev A rotation opened the session, on the day stored in the grants.
    uint256 internal constant ROTATED = 4;

    uint256 private constant MAX_AMOUNT = (1 << 37) - 1;

    /// @param sessionKey Zero for no session.
    /// @param until Unix seconds, inclusive.
    /// @param granted See `packGrants`.
    function pack(address sessionKey, uint40 until, uint256 granted, uint256 flags) internal pure returns (uint256) {
        return (uint256(uint160(sessionKey)) << 96) | (uint256(until) << 56) | (granted << 3) | flags;
    }

    /// @notice The grants field: `amount` granted on `day`.
    /// @param day Unix seconds / 1 days, truncated to 16 bits (unique until the year 2149).
    /// @param amount Micro-USDC, capped at 137,438 USDC, far more than rotations may grant in a day.
    function packGrants(uint256 day, uint256 amount) internal pure returns (uint256) {
        return (uint256(uint16(day)) << 37) | (amount > MAX_AMOUNT ? MAX_AMOUNT : amount);
    }

    function key(uint256 word) internal pure returns (address) {
        return address(uint160(word >> 96));
    }

    function validUntil(uint256 word) internal pure returns (uint40) {
        return uint40(word >> 56);
    }

    function grants(uint256 word) internal pure returns (uint256) {
        return uint56(word) >> 3;
    }

    /// @notice Micro-USDC granted on `day`.
    function grantedOn(uint256 word, uint256 day) internal pure returns (uint256) {
        return uint16(word >> 40) == uint16(day) ? grants(word) & MAX_AMOUNT : 0;
    }

    function has(uint256 word, uint256 flag) internal pure returns (bool) {
        return word & flag != 0;
    }
}
