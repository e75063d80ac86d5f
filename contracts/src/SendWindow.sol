// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title A budget, an allowance for purchases and a sliding window of used nonces in one storage word.
/// @notice Nonces may arrive in any order and each is accepted at most once (the anti-replay window of RFC 4303 §3.4.3
/// and RFC 6479). A nonce more than 127 below the highest accepted one is refused.
/// @dev Word: `remaining 48 | purchase allowance 16 | top 64 | seen 128`. `top` is the highest accepted nonce. Bit i of
/// `seen` is set if `top - i` was used. A nonce is `epoch 32 | sequence 32`, so `top >> 32` is the epoch the word was
/// opened with. Sends only carry the purchase allowance along: it has its place here because a rotation replaces this
/// word anyway. One raw word instead of four struct fields saves about 550 gas per send.
library SendWindow {
    /// @notice `amount` exceeds what the session may still spend; both values are micro-USDC.
    error OverLimit(uint64 amount, uint64 remaining);

    /// @notice `nonce` was used, or is more than 127 below `top`, where the window no longer records use.
    error NonceUnusable(uint64 nonce, uint64 top);

    /// @notice The word of a new session: no nonce used, and the limit divided between sends and purchases.
    /// @param limit Micro-USDC, less than 2^48.
    /// @param allowance Whole USDC, at most the limit. The caller must check both.
    function open(uint64 limit, uint16 allowance, uint32 newEpoch) internal pure returns (uint256 word) {
        unchecked {
            uint256 left = limit - uint256(allowance) * 1e6;
            return (left << 208) | (uint256(allowance) << 192) | (uint256(newEpoch) << 160);
        }
    }

    /// @notice The word after spending `amount` with `nonce`. The caller must check the nonce's epoch first.
    function consume(uint256 word, uint64 amount, uint64 nonce) internal pure returns (uint256) {
        unchecked {
            uint256 left = word >> 208;
            if (amount > left) revert OverLimit(amount, uint64(left));

            uint256 highest = uint64(word >> 128);
            uint256 used = uint128(word);
            if (nonce > highest) {
                // A shift by 256 or more yields 0, so a large step needs no clamp. Without the truncation to 128 bits,
                // old bits would overwrite `top`.
                used = uint128(used << (nonce - highest)) | 1;
                highest = nonce;
            } else {
                uint256 behind = highest - nonce;
                if (behind > 127 || (used >> behind) & 1 != 0) revert NonceUnusable(nonce, uint64(highest));
                used |= 1 << behind;
            }
            return ((left - amount) << 208) | (uint256(purchaseAllowance(word)) << 192) | (highest << 128) | used;
        }
    }

    /// @notice What the session may still spend, in micro-USDC.
    function remaining(uint256 word) internal pure returns (uint64) {
        return uint64(word >> 208);
    }

    /// @notice What authorisations of this session may spend in total, in whole USDC.
    function purchaseAllowance(uint256 word) internal pure returns (uint16) {
        return uint16(word >> 192);
    }

    /// @notice The highest accepted nonce, or the epoch's first nonce if none has been accepted.
    function top(uint256 word) internal pure returns (uint64) {
        return uint64(word >> 128);
    }

    /// @notice The session's epoch, which `open` sets. `consume` keeps it, since it gets nonces of this epoch only.
    function epoch(uint256 word) internal pure returns (uint32) {
        return uint32(word >> 160);
    }

    /// @notice Bit i: nonce `top - i` was used.
    function seen(uint256 word) internal pure returns (uint128) {
        return uint128(word);
    }
}
