// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

import {IAgentWallet} from "../src/IAgentWallet.sol";
import {PayoutEscrow} from "../src/PayoutEscrow.sol";

/// @dev What a stranger can write on the chain to mislead the owner of a wallet. It also poses as a wallet of that owner
/// that holds a million USDC.
contract Stranger {
    address public immutable owner;

    event WalletCreated(address indexed wallet, address indexed owner);

    constructor(address victim) {
        owner = victim;
    }

    function pretendCreation(address wallet) external {
        emit WalletCreated(wallet, owner);
    }

    /// @dev Announces `count` payouts of `payer` that nobody funded.
    function announce(PayoutEscrow escrow, address payer, uint256 count) external {
        for (uint256 i = 1; i <= count; ++i) {
            escrow.announce(_terms(payer, i));
        }
    }

    /// @dev Logs that `from` transferred nothing to each of these payouts, which USDC allows anyone to do.
    function transferNothing(PayoutEscrow escrow, address from, uint256 count) external {
        IERC20 token = escrow.USDC();
        for (uint256 i = 1; i <= count; ++i) {
            require(token.transferFrom(from, escrow.payoutAddress(_terms(from, i)), 0));
        }
    }

    function _terms(address payer, uint256 number) private pure returns (PayoutEscrow.Terms memory) {
        return PayoutEscrow.Terms(payer, address(uint160(number)), address(uint160(number)), 1e6, type(uint48).max);
    }

    // What a wallet would answer.

    function USDC() external view returns (address) {
        return address(this);
    }

    function ESCROW() external view returns (address) {
        return address(this);
    }

    function state() external view returns (IAgentWallet.State memory wallet) {
        wallet.timestamp = uint64(block.timestamp);
        wallet.balance = 1_000_000e6;
    }
}
