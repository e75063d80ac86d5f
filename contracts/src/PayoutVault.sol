// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/// @title Holds the USDC of one payout: a minimal clone at an address derived from the payout's terms.
/// @notice Only its escrow may empty it. It stays deployed after a sweep, so that money that arrives later is never
/// stuck.
contract PayoutVault {
    using SafeERC20 for IERC20;

    IERC20 public immutable USDC;
    address public immutable ESCROW;

    error NotEscrow(address caller);

    /// @notice The vault holds less than the sweep requires; both values are micro-USDC.
    error BelowMinimum(uint256 balance, uint256 atLeast);

    constructor(IERC20 usdc, address escrow) {
        USDC = usdc;
        ESCROW = escrow;
    }

    /// @notice Send the whole balance to `to`.
    /// @param atLeast Micro-USDC, inclusive. Zero counts as one: a sweep that succeeds has always paid something.
    function sweep(address to, uint64 atLeast) external {
        if (msg.sender != ESCROW) revert NotEscrow(msg.sender);
        uint256 balance = USDC.balanceOf(address(this));
        if (balance == 0 || balance < atLeast) revert BelowMinimum(balance, atLeast);

        USDC.safeTransfer(to, balance);
    }
}
