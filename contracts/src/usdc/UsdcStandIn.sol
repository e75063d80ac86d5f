// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {UsdcAuthorizations} from "./UsdcAuthorizations.sol";
import {UsdcMinting} from "./UsdcMinting.sol";
import {UsdcPermits} from "./UsdcPermits.sol";
import {UsdcSignatures} from "./UsdcSignatures.sol";

/// @title USDC for local chains: behaves like Circle's FiatTokenV2_2 for everything that this project uses.
/// @notice Never deployed where Circle's token exists. Checks run in the same order as Circle's and fail with the same
/// texts, since Circle's token predates custom errors and clients match the texts. It has no burning, no rescue of
/// other tokens and no transfer of roles.
contract UsdcStandIn is UsdcMinting, UsdcAuthorizations, UsdcPermits {
    string public constant symbol = "USDC";
    uint8 public constant decimals = 6;

    bool private _initialized;
    /// @dev In storage, as in Circle's token: every signature check reads it.
    string private _name;

    /// @dev The implementation itself cannot be initialised, only proxies in front of it.
    constructor() {
        _initialized = true;
    }

    /// @param admin Holds every role: master minter, first minter (without a limit), pauser and blacklister.
    function initialize(address admin) external {
        require(!_initialized, "FiatToken: contract is already initialized");
        _initialized = true;
        // Circle named its tokens differently on Base and on Base Sepolia, and the name is part of the EIP-712 domain.
        _name = block.chainid == 84_532 ? "USDC" : "USD Coin";
        masterMinter = admin;
        pauser = admin;
        blacklister = admin;
        _configureMinter(admin, type(uint256).max);
        // As in Circle's token, so that no one can send money to the token itself.
        _setBlacklisted(address(this), true);
    }

    function name() public view override returns (string memory) {
        return _name;
    }
}
