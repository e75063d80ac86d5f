// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";

import {AgentWallet} from "./AgentWallet.sol";
import {PayoutEscrow} from "./PayoutEscrow.sol";
import {Provider} from "./Provider.sol";

/// @title Makes agent wallets at addresses that commit to every parameter.
/// @notice A wallet's address can be computed, shown and funded before the wallet exists. Whoever creates it, it can
/// only be the one its address promises.
contract AgentWalletFactory {
    /// @notice What every wallet is a clone of.
    AgentWallet public immutable IMPLEMENTATION;
    /// @notice The provider of every wallet made here.
    Provider public immutable PROVIDER;

    event WalletCreated(address indexed wallet, address indexed owner);

    error ZeroOwner();

    /// @notice Owners are keys: a contract could not sign what the wallet lets owners sign.
    error OwnerHasCode(address owner);

    constructor(IERC20 usdc, PayoutEscrow escrow, Provider provider) {
        IMPLEMENTATION = new AgentWallet(usdc, escrow, address(this));
        PROVIDER = provider;
    }

    /// @notice Create the wallet and open its first session, or answer the existing one. Anyone may call.
    /// @dev `validUntil` may have passed: money sent to the address beforehand must stay reachable for the owner.
    /// @param owner A key without code.
    /// @param salt Free, to tell apart wallets of one owner.
    /// @param limit Micro-USDC, at most `MAX_GRANT` of the wallet.
    /// @param validUntil Unix seconds, inclusive, at most `MAX_VALIDITY` of the wallet ahead.
    function createWallet(address owner, bytes32 salt, address sessionKey, uint64 limit, uint40 validUntil)
        external
        returns (address wallet)
    {
        bytes memory arguments = abi.encodePacked(owner, PROVIDER);
        bytes32 fullSalt = keccak256(abi.encode(owner, salt, sessionKey, limit, validUntil));
        wallet = Clones.predictDeterministicAddressWithImmutableArgs(address(IMPLEMENTATION), arguments, fullSalt);
        if (wallet.code.length != 0) return wallet;
        if (owner == address(0)) revert ZeroOwner();
        if (owner.code.length != 0) revert OwnerHasCode(owner);

        emit WalletCreated(wallet, owner);

        Clones.cloneDeterministicWithImmutableArgs(address(IMPLEMENTATION), arguments, fullSalt);
        AgentWallet(wallet).initialize(sessionKey, limit, validUntil);
    }

    /// @notice Where `createWallet` with the same parameters puts the wallet.
    function walletAddress(address owner, bytes32 salt, address sessionKey, uint64 limit, uint40 validUntil)
        external
        view
        returns (address)
    {
        return Clones.predictDeterministicAddressWithImmutableArgs(
            address(IMPLEMENTATION),
            abi.encodePacked(owner, PROVIDER),
            keccak256(abi.encode(owner, salt, sessionKey, limit, validUntil))
        );
    }
}
